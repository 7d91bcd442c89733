import type { RecordBatch } from 'apache-arrow'

import type * as Api from '../../ts/index.js'
import type { CaseScan } from './case.js'
import { encodeBatch } from './encode.js'
import type {
  Engine,
  EnginePlan,
  EngineScan,
  EngineTable,
  PlannedDelete,
  PlannedFile,
  Range,
  RowOptions,
} from './engine.js'
import { type Json, parseJson } from './json.js'

type Lakefold = typeof Api
type Obj = { [key: string]: Json }

/** lakefold through its public API: the package as it is built, imported by its name. */
export class LakefoldEngine implements Engine {
  readonly #api: Lakefold
  readonly #tables = new Map<string, Promise<EngineTable>>()

  constructor(api: Lakefold) {
    this.#api = api
  }

  static async load(): Promise<LakefoldEngine> {
    const name: string = 'lakefold'
    return new LakefoldEngine((await import(name)) as Lakefold)
  }

  open(metadata: string, from: string, to: string): Promise<EngineTable> {
    const key = `${metadata} ${to}`
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const opened = this.#open(metadata, from, to)
    this.#tables.set(key, opened)
    return opened
  }

  async #open(metadata: string, from: string, to: string): Promise<EngineTable> {
    const table = await this.#api.openTable(metadata, { rewriteLocations: { [from]: to } })
    return { scan: (scan) => new LakefoldScan(this.#api, table as Api.IcebergTable, scan) }
  }

  async close(): Promise<void> {
    this.#tables.clear()
  }
}

class LakefoldScan implements EngineScan {
  readonly #api: Lakefold
  readonly #table: Api.IcebergTable
  readonly #asked: CaseScan

  constructor(api: Lakefold, table: Api.IcebergTable, asked: CaseScan) {
    this.#api = api
    this.#table = table
    this.#asked = asked
  }

  #plain(): Api.TableScan {
    const asked = this.#asked
    let scan = this.#table.scan()
    if (asked.caseSensitive === false) scan = scan.caseInsensitive()
    if (asked.ref !== undefined) scan = scan.useRef(asked.ref)
    if (asked.snapshotId !== undefined) scan = scan.useSnapshot(asked.snapshotId)
    if (asked.asOfTimestampMs !== undefined) scan = scan.asOf(asked.asOfTimestampMs)
    if (asked.filter !== undefined) scan = scan.filter(asked.filter as never)
    if (asked.select !== undefined) scan = scan.select(...asked.select)
    if (asked.ignoreResiduals) scan = scan.ignoreResiduals()
    return scan
  }

  #incremental(): Api.IncrementalAppendScan | Api.ChangelogScan {
    const asked = this.#asked
    let scan = asked.changelog ? this.#table.changelogScan() : this.#table.incrementalAppendScan()
    const range = asked.incremental ?? {}
    if (range.fromSnapshotIdExclusive !== undefined) scan = scan.fromSnapshotExclusive(range.fromSnapshotIdExclusive)
    if (range.fromSnapshotIdInclusive !== undefined) scan = scan.fromSnapshotInclusive(range.fromSnapshotIdInclusive)
    if (range.toSnapshotId !== undefined) scan = scan.toSnapshot(range.toSnapshotId)
    if (asked.caseSensitive === false) scan = scan.caseInsensitive()
    if (asked.filter !== undefined) scan = scan.filter(asked.filter as never)
    if (asked.select !== undefined) scan = scan.select(...asked.select)
    return scan
  }

  async plan(): Promise<EnginePlan> {
    const asked = this.#asked
    if (asked.incremental !== undefined || asked.changelog) {
      return { files: (await this.#incremental().planFiles()).map(plannedFile) }
    }
    const scan = this.#plain()
    let report: Api.ScanReport | undefined
    const files = await scan.reportTo((made) => void (report = made)).planFiles()
    const plan = { files: files.map(plannedFile), metrics: { ...report?.metrics } }
    if (asked.splitSize === undefined) return plan
    const options = {
      splitSize: asked.splitSize,
      ...(asked.splitLookback !== undefined && { lookback: asked.splitLookback }),
      ...(asked.splitOpenFileCost !== undefined && { openFileCost: asked.splitOpenFileCost }),
    }
    const [splits, tasks] = [await scan.splitFiles(options), await scan.planTasks(options)]
    return { ...plan, splits: splits.map(range), tasks: tasks.map((group) => group.map(range)) }
  }

  /** One worker reads all batches, two a reader, more the tasks of a plan that went through its JSON: one result. */
  async rows({ workers, columns }: RowOptions): Promise<string[]> {
    const asked = this.#asked
    const options = { numWorkers: workers }
    const rows: string[] = []
    const add = (batch: RecordBatch) => {
      for (const row of encodeBatch(batch, columns)) rows.push(row)
    }
    if (asked.incremental !== undefined || asked.changelog) {
      for await (const batch of await this.#incremental().toBatchReader(options)) add(batch)
      return rows
    }
    const scan = asked.splitSize === undefined ? this.#plain() : this.#plain().withSplitSize(asked.splitSize)
    if (workers === 1) {
      for (const batch of await scan.toBatches(options)) add(batch)
    } else if (workers === 2) {
      for await (const batch of await scan.toBatchReader(options)) add(batch)
    } else {
      const tasks = (await scan.planFiles()).map((task) => this.#api.FileScanTask.fromJson(task.toJson()))
      for (const batch of await scan.toBatchesForTasks(tasks, options)) add(batch)
    }
    return rows
  }

  async count(workers: number): Promise<bigint> {
    const asked = this.#asked
    if (asked.incremental === undefined && !asked.changelog) return await this.#plain().count({ numWorkers: workers })
    let rows = 0n
    for await (const batch of await this.#incremental().toBatchReader({ numWorkers: workers })) {
      rows += BigInt(batch.numRows)
    }
    return rows
  }
}

const range = (task: Api.FileScanTask): Range => ({
  path: task.dataFile.path,
  start: BigInt(task.start),
  length: BigInt(task.length),
})

const big = (value: Json | undefined) => (value === undefined || value === null ? undefined : BigInt(value as number))
const CONTENT: { [name: string]: string } = {
  'puffin-dv': 'POSITION_DELETES',
  positions: 'POSITION_DELETES',
  equality: 'EQUALITY_DELETES',
}
const CHANGE = { type: '2147483543', ordinal: '2147483542', snapshot: '2147483541' }

/** A task by its document, the form in which it travels. */
function plannedFile(task: Api.FileScanTask): PlannedFile {
  const document = parseJson(task.toJson()) as Obj
  const file = document['data-file'] as Obj
  const constants = (document.constants as Obj | undefined) ?? {}
  const partition = (document.partition as Obj[] | undefined) ?? []
  return {
    ...range(task),
    operation: constants[CHANGE.type] as string | undefined,
    changeOrdinal: constants[CHANGE.ordinal] as number | undefined,
    commitSnapshotId: big(constants[CHANGE.snapshot]),
    format: String(file.format),
    specId: Number(document['spec-id']),
    partition: Object.fromEntries(partition.map((field) => [String(field.name), field.value as Json])),
    recordCount: big(file['record-count']) as bigint,
    fileSizeInBytes: big(file['file-size-in-bytes']) as bigint,
    dataSequenceNumber: big(document['data-sequence-number']),
    fileSequenceNumber: big(document['file-sequence-number']),
    firstRowId: big(document['first-row-id']),
    deletes: ((document['delete-files'] as Obj[] | undefined) ?? []).map(plannedDelete),
    residual: task.residual,
  }
}

function plannedDelete(file: Obj): PlannedDelete {
  return {
    path: String(file.path),
    content: CONTENT[String(file.content)] ?? String(file.content),
    format: String(file.format),
    recordCount: big(file['record-count']) as bigint,
    fileSizeInBytes: big(file['file-size-in-bytes']) as bigint,
    specId: Number(file['spec-id']),
    dataSequenceNumber: big(file['data-sequence-number']) as bigint,
    contentOffset: big(file['content-offset']),
    contentSizeInBytes: big(file['content-size-in-bytes']),
    // File-scoped position deletes name their data file too; the cases record it for vectors alone.
    referencedDataFile:
      file.format === 'puffin' ? ((file['referenced-data-file'] as string | null) ?? undefined) : undefined,
    equalityIds: (file['equality-ids'] as number[] | null) ?? undefined,
  }
}
