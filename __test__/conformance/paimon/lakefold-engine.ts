import { readFileSync } from 'node:fs'
import type { RecordBatch } from 'apache-arrow'

import type * as Api from '../../../ts/index.js'
import type * as PaimonApi from '../../../ts/paimon/index.js'
import { encodeRows } from '../encode.js'
import type { Column } from '../schema.js'
import type { PaimonScan, Values } from './case.js'
import { encodePaimon } from './encode.js'
import type {
  BucketAnswer,
  BucketVector,
  EnginePlan,
  EngineRows,
  EngineStreamPlan,
  FieldTypes,
  PaimonEngine,
  PaimonEngineScan,
  PaimonEngineTable,
} from './engine.js'
import { filterOf } from './filter.js'
import { splitJson, valuesOf } from './plan-json.js'
import type { Row } from './rows.js'
import { bucketAnswer } from './vector-answer.js'

interface Apis {
  readonly lakefold: typeof Api
  readonly paimon: typeof PaimonApi
}

/** lakefold through its public API: the package as it is built, imported by its names. */
export class LakefoldPaimonEngine implements PaimonEngine {
  constructor(private readonly apis: Apis) {}

  static async load(): Promise<LakefoldPaimonEngine> {
    const names: readonly string[] = ['lakefold', 'lakefold/paimon']
    const [lakefold, paimon] = await Promise.all(names.map((name) => import(name)))
    return new LakefoldPaimonEngine({ lakefold, paimon })
  }

  async open(location: string, schemaFile: string | undefined, scan: PaimonScan): Promise<PaimonEngineTable> {
    const { paimon, lakefold } = this.apis
    if (schemaFile !== undefined) {
      const table = new paimon.FormatTable(location, readFileSync(schemaFile, 'utf8'))
      return new LakefoldPaimonTable(this.apis, location, table, undefined, scan)
    }
    const table = await lakefold.openTable(location, { format: 'paimon' })
    return new LakefoldPaimonTable(this.apis, location, location, table, scan)
  }

  async bucket(vector: BucketVector): Promise<BucketAnswer> {
    return bucketAnswer(this.apis.paimon, vector)
  }
}

class LakefoldPaimonTable implements PaimonEngineTable {
  constructor(
    private readonly apis: Apis,
    private readonly location: string,
    private readonly source: string | PaimonApi.FormatTable,
    private readonly table: PaimonApi.PaimonTable | undefined,
    private readonly asked: PaimonScan,
  ) {}

  scan(fields: FieldTypes): PaimonEngineScan {
    return new LakefoldPaimonScan(this.apis, this.location, this.source, this.table, this.asked, fields)
  }

  /** One worker reads the table by its own name, more the table's system table. */
  async system(columns: readonly Column[], workers: number): Promise<EngineRows> {
    const name = this.asked.systemTable ?? ''
    const branch = this.asked.branch === undefined ? '' : `$branch_${this.asked.branch}`
    const options = { numWorkers: workers, dictionaries: workers === 2, options: this.asked.options ?? {} }
    const byName = await this.apis.lakefold.openTable(`${this.location}${branch}$${name}` as const)
    const table = workers === 1 || this.table === undefined || branch !== '' ? byName : this.table.system(name)
    if (!(table instanceof this.apis.paimon.SystemTable)) throw new Error(`${name} is no system table`)
    if (workers === 1) return rowsOf((await table.toTable(options)).batches, columns, (await table.toTable()).schema)
    return rowsOf(table.batches(options), columns)
  }

  async listPartitions(): Promise<Values[]> {
    const { paimon } = this.apis
    const scan = await paimon.TableScan.create(contextOf(this.apis, this.source, this.asked, []))
    const fields = scan.schema.partitionFields
    const partitions = scan.format === undefined ? await this.ofManifests(scan) : await scan.listPartitions()
    return partitions.map((partition) =>
      valuesOf(
        fields,
        fields.map(({ name }) => partition.get(name)),
      ),
    )
  }

  /** `listPartitions` is for format tables; the partitions of another are those of its files. */
  private async ofManifests(scan: PaimonApi.TableScan): Promise<readonly ReadonlyMap<string, unknown>[]> {
    const found = new Map<string, ReadonlyMap<string, unknown>>()
    for (const split of (await scan.createPlan()).splits) {
      const values = scan.schema.partitionFields.map(({ name }, i) => [name, split.partitionValues[i]] as const)
      found.set(JSON.stringify(values.map(([, value]) => String(value))), new Map(values))
    }
    return [...found.values()]
  }
}

type Reader = AsyncIterable<RecordBatch> & {
  readonly schema?: { readonly fields: readonly { readonly name: string }[] }
}

class LakefoldPaimonScan implements PaimonEngineScan {
  constructor(
    private readonly apis: Apis,
    private readonly location: string,
    private readonly source: string | PaimonApi.FormatTable,
    private readonly table: PaimonApi.PaimonTable | undefined,
    private readonly asked: PaimonScan,
    private readonly fields: FieldTypes,
  ) {}

  #create(): Promise<PaimonApi.TableScan> {
    return this.apis.paimon.TableScan.create(contextOf(this.apis, this.source, this.asked, this.fields))
  }

  /** The fluent scan; there is none of a format table. */
  #fluent(kinds: boolean): PaimonApi.PaimonScan | undefined {
    const { asked } = this
    let scan = this.table?.scan()
    if (scan === undefined) return undefined
    for (const [key, value] of Object.entries(asked.options ?? {})) scan = scan.option(key, value)
    if (asked.predicate !== undefined) scan = scan.filter(filterOf(this.apis.lakefold, asked.predicate, this.fields))
    if (asked.partitionFilter !== undefined) scan = scan.partitionFilter(asked.partitionFilter)
    if (asked.bucket !== undefined) scan = scan.bucket(asked.bucket)
    if (asked.limit !== undefined) scan = scan.limit(asked.limit)
    if (asked.rowRanges !== undefined) scan = scan.rowRanges(asked.rowRanges)
    if (asked.snapshotId !== undefined) scan = scan.snapshotId(asked.snapshotId)
    if (asked.tag !== undefined) scan = scan.tag(asked.tag)
    if (asked.branch !== undefined) scan = scan.branch(asked.branch)
    if (asked.timestampMs !== undefined) scan = scan.asOf(asked.timestampMs)
    if (asked.watermark !== undefined) scan = scan.watermark(asked.watermark)
    if (asked.incremental !== undefined) scan = scan.incremental(asked.incremental)
    if (asked.select !== undefined) scan = scan.select(...asked.select)
    return kinds ? scan.rowKinds() : scan
  }

  async plan(): Promise<EnginePlan> {
    const scan = await this.#create()
    return this.#planJson(scan, await scan.createPlan())
  }

  #planJson(scan: PaimonApi.TableScan, plan: PaimonApi.Plan): EnginePlan {
    const { schema } = scan
    const place = { root: this.location, partition: schema.partitionFields, key: schema.trimmedPrimaryKeys }
    return {
      snapshotId: plan.snapshotId === undefined ? null : Number(plan.snapshotId),
      nextSnapshotId: plan.nextSnapshotId === undefined ? undefined : Number(plan.nextSnapshotId),
      splits: plan.splits.map((split) => splitJson(this.apis.paimon, split, place)),
    }
  }

  /** One worker reads by the fluent scan, two by the guide's calls, more the splits of a plan that went through JSON: one result. Two take strings as dictionaries. */
  async rows({ workers, columns, kinds }: Parameters<PaimonEngineScan['rows']>[0]): Promise<EngineRows> {
    const fluent = workers === 1 ? this.#fluent(kinds) : undefined
    if (fluent !== undefined) return rowsOf(await fluent.toBatchReader({ numWorkers: 1 }), columns)
    const scan = await this.#create()
    const { splits } = await scan.createPlan()
    const { splitToJson, splitFromJson, DataSplit } = this.apis.paimon
    const sent =
      workers > 2
        ? splits.map((split) => (split instanceof DataSplit ? splitFromJson(splitToJson(split), scan.schema) : split))
        : splits
    return this.#read(scan, sent as readonly PaimonApi.Split[], { workers, columns, kinds })
  }

  async #read(
    scan: PaimonApi.TableScan,
    splits: readonly PaimonApi.Split[],
    { workers, columns, kinds }: Parameters<PaimonEngineScan['rows']>[0],
  ): Promise<EngineRows> {
    const { select, limit } = this.asked
    const read = await this.apis.paimon.TableRead.create(scan, { columns: select, rowKinds: kinds })
    const options = { numWorkers: workers, dictionaries: workers === 2, ...(limit === undefined ? {} : { limit }) }
    return rowsOf(read.toBatchReader(splits, options), columns)
  }

  async count(workers: number): Promise<bigint> {
    const fluent = this.#fluent(false)
    if (fluent !== undefined) return fluent.count({ numWorkers: workers })
    return BigInt((await this.rows({ workers, columns: this.fields, kinds: false })).rows.length)
  }

  async stream({ workers, columns }: Parameters<PaimonEngineScan['stream']>[0]): Promise<EngineStreamPlan[]> {
    const scan = await this.#create()
    const plans: EngineStreamPlan[] = []
    for (;;) {
      const plan = await scan.createPlan()
      if (plan.snapshotId === undefined) return plans
      const rows = await this.#read(scan, plan.splits, { workers, columns, kinds: true })
      plans.push({ plan: this.#planJson(scan, plan), ...rows })
    }
  }
}

const KINDS = ['+I', '-U', '+U', '-D']
const KIND_COLUMN: Column = {
  name: '_VALUE_KIND',
  required: true,
  type: { kind: 'primitive', name: 'tinyint', args: [] },
}

/** The rows of batches; the kind of a row as the cases write it. */
async function rowsOf(
  batches: Reader | Iterable<RecordBatch>,
  columns: readonly Column[],
  schema = 'schema' in batches ? batches.schema : undefined,
): Promise<EngineRows> {
  const rows: Row[] = []
  let names = schema?.fields.map((field) => field.name)
  for await (const batch of batches) {
    names ??= batch.schema.fields.map((field) => field.name)
    for (const row of encodeRows(batch, [...columns, KIND_COLUMN], encodePaimon)) {
      const { _VALUE_KIND: kind, ...rest } = row
      rows.push(kind === undefined ? row : { ...rest, _kind: KINDS[kind as number] ?? kind })
    }
  }
  // Batches that came one at a time, none of them, tell no columns.
  const told = names ?? columns.map((column) => column.name)
  return { columns: told.filter((name) => name !== KIND_COLUMN.name), rows }
}

/** A scan's context, by the names of the guide. */
export function contextOf(apis: Apis, table: string | PaimonApi.FormatTable, asked: PaimonScan, fields: FieldTypes) {
  const builder = new apis.paimon.ScanContextBuilder(table)
  for (const [key, value] of optionsOf(asked)) builder.addOption(key, value)
  if (asked.predicate !== undefined) builder.setPredicate(filterOf(apis.lakefold, asked.predicate, fields))
  if (asked.partitionFilter !== undefined) builder.setPartitionFilter(asked.partitionFilter)
  if (asked.bucket !== undefined) builder.setBucketFilter(asked.bucket)
  if (asked.limit !== undefined) builder.setLimit(asked.limit)
  if (asked.rowRanges !== undefined) builder.setGlobalIndexResult({ rowRanges: asked.rowRanges })
  if (asked.streaming) builder.withStreamingMode(true)
  if (asked.restoreSnapshotId !== undefined) builder.withRestoredSnapshot(asked.restoreSnapshotId)
  return builder.finish()
}

/** What a case asks for in options. */
export function optionsOf(asked: PaimonScan): [string, string][] {
  const options = Object.entries(asked.options ?? {})
  const add = (key: string, value: unknown) => {
    if (value !== undefined) options.push([key, String(value)])
  }
  add('scan.snapshot-id', asked.snapshotId)
  add('scan.tag-name', asked.tag)
  add('scan.timestamp-millis', asked.timestampMs)
  add('scan.watermark', asked.watermark)
  add('branch', asked.branch)
  const { incremental } = asked
  if (incremental?.from !== undefined) add('incremental-between', `${incremental.from},${incremental.to}`)
  if (incremental?.fromTimestampMs !== undefined) {
    add('incremental-between-timestamp', `${incremental.fromTimestampMs},${incremental.toTimestampMs}`)
  }
  add('incremental-between-scan-mode', incremental?.mode)
  return options
}
