import type { RecordBatch, Table } from 'apache-arrow'
import type { Row } from '../../arrow/values.js'
import { readSettings, type ScanOptions } from '../../exec/options.js'
import type { FilterInput } from '../../expr/parse.js'
import type { BatchReader } from '../../reader/batch-reader.js'
import { readRows } from '../../reader/rows.js'
import { mayLackRows } from '../metadata/ignored-files.js'
import { DataSplit } from '../plan/data-split.js'
import type { PartitionFilter } from '../plan/partition-pruner.js'
import type { Plan, Split } from '../plan/plan.js'
import { rowRanges } from '../plan/row-ranges.js'
import type { ScanContext } from './scan-context.js'
import { TableRead, type TableReadOptions } from './table-read.js'
import { TableScan } from './table-scan.js'

/** A range of snapshots, tags or times whose changes are read. */
export interface IncrementalRange {
  /** A snapshot id or a tag; exclusive. */
  readonly from?: number | bigint | string
  readonly to?: number | bigint | string
  readonly fromTimestampMs?: number | bigint
  readonly toTimestampMs?: number | bigint
  readonly mode?: 'auto' | 'delta' | 'changelog' | 'diff'
}

/**
 * A scan of a Paimon table. Immutable: each setter returns a new scan. A filter has Paimon's meaning: null matches nothing but `is-null`.
 *
 * @example
 * ```ts
 * const rows = await table.scan().filter(col('id').gt(10)).select('id', 'v').partitionFilter([{ dt: '2024-01-01' }]).toTable()
 * ```
 */
export class PaimonScan {
  readonly #context: ScanContext
  readonly #read: TableReadOptions

  /** @internal Made by `PaimonTable.scan()`. */
  constructor(context: ScanContext, read: TableReadOptions = {}) {
    this.#context = context
    this.#read = read
  }

  /** The table's folder. */
  get location(): string {
    return this.#context.path
  }

  #with(change: Partial<ScanContext>): PaimonScan {
    return new PaimonScan({ ...this.#context, ...change }, this.#read)
  }

  /** Only rows that match, in any spelling; several filters must all hold. */
  filter(filter: FilterInput): PaimonScan {
    return this.#with({ predicates: [...this.#context.predicates, filter] })
  }

  /** Only these columns, in this order; nothing: all. */
  select(...columns: string[]): PaimonScan {
    return new PaimonScan(this.#context, { ...this.#read, columns: columns.length === 0 ? undefined : columns })
  }

  /** Returns rows that retract too, and `_VALUE_KIND` first: for ranges and streams. */
  rowKinds(rowKinds = true): PaimonScan {
    return new PaimonScan(this.#context, { ...this.#read, rowKinds })
  }

  /** Only partitions that one of the maps describes, values as folders spell them. */
  partitionFilter(filter: PartitionFilter): PaimonScan {
    return this.#with({ partitionFilter: filter })
  }

  /** Only this bucket. */
  bucket(bucket: number): PaimonScan {
    return this.#with({ bucket })
  }

  /** Matches column names in any case. */
  caseInsensitive(): PaimonScan {
    return this.#with({ caseSensitive: false })
  }

  /** At most so many rows. */
  limit(limit: number): PaimonScan {
    return this.#with({ limit })
  }

  /** One option, over the table's own. */
  option(key: string, value: string): PaimonScan {
    return this.#with({ options: new Map([...this.#context.options, [key, value]]) })
  }

  /** The table as of a snapshot. */
  snapshotId(id: number | bigint | string): PaimonScan {
    return this.option('scan.snapshot-id', String(id))
  }

  /** The table as of a tag. */
  tag(name: string): PaimonScan {
    return this.option('scan.tag-name', name)
  }

  /** Another branch of the table. */
  branch(name: string): PaimonScan {
    return this.option('branch', name)
  }

  /** The table as of a time: the newest snapshot that is not after it. */
  asOf(timestampMs: number | bigint | Date): PaimonScan {
    const millis = timestampMs instanceof Date ? timestampMs.getTime() : timestampMs
    return this.option('scan.timestamp-millis', String(millis))
  }

  /** The first snapshot whose watermark is not before this one. */
  watermark(watermark: number | bigint): PaimonScan {
    return this.option('scan.watermark', String(watermark))
  }

  /** What changed in a range. */
  incremental({ from, to, fromTimestampMs, toTimestampMs, mode }: IncrementalRange): PaimonScan {
    const times = fromTimestampMs !== undefined || toTimestampMs !== undefined
    const key = times ? 'incremental-between-timestamp' : 'incremental-between'
    const scan = this.option(key, times ? `${fromTimestampMs},${toTimestampMs}` : `${from},${to}`)
    return mode === undefined ? scan : scan.option('incremental-between-scan-mode', mode)
  }

  /** Only rows with these ids, both ends of a range inclusive; for tables with row tracking. */
  rowRanges(ranges: readonly (readonly [number | bigint, number | bigint])[]): PaimonScan {
    return this.#with({ rowRanges: rowRanges(ranges) })
  }

  /** The scan by the names of Paimon's guide, for streams and metrics. */
  toTableScan(signal?: AbortSignal): Promise<TableScan> {
    return TableScan.create(this.#context, signal)
  }

  /** The plan. */
  async plan(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Plan> {
    return (await this.toTableScan(options.signal)).createPlan(options)
  }

  /** The splits of the plan. */
  async planSplits(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly Split[]> {
    return (await this.plan(options)).splits
  }

  /** Plans, then opens a reader: a bad snapshot or manifest rejects here, a bad data file in the reader. */
  async toBatchReader(options: ScanOptions = {}): Promise<BatchReader> {
    readSettings(options)
    const scan = await this.toTableScan(options.signal)
    const plan = await scan.createPlan({ signal: options.signal })
    const read = await TableRead.create(scan, this.#read)
    const limit = this.#limit(options)
    return read.toBatchReader(plan, { ...options, ...(Number.isFinite(limit) ? { limit } : {}) })
  }

  /** All rows as one table. */
  async toTable(options: ScanOptions = {}): Promise<Table> {
    return (await this.toBatchReader(options)).toTable()
  }

  /** All rows as record batches. */
  async toBatches(options: ScanOptions = {}): Promise<RecordBatch[]> {
    return (await this.toBatchReader(options)).toBatches()
  }

  /** Rows as plain objects, for small results; values as of Iceberg's `rows`, times always in microseconds or nanoseconds. */
  async *rows(options: ScanOptions = {}): AsyncGenerator<Row> {
    yield* readRows(await this.toBatchReader(options))
  }

  /** The exact number of rows; splits that can be counted by metadata are not opened. */
  async count(options: ScanOptions = {}): Promise<bigint> {
    readSettings(options)
    const limit = this.#limit(options)
    const scan = await this.toTableScan(options.signal)
    const { splits } = await scan.createPlan({ signal: options.signal })
    const { target } = scan
    // Which rows a damaged file has is a matter of the columns that are read.
    const all = target !== undefined && mayLackRows(target.view)
    const told = target?.predicate.op === 'true' && !all
    let rows = 0n
    const unknown: Split[] = []
    for (const split of splits) {
      const known = told && split instanceof DataSplit ? split.mergedRowCount : undefined
      if (known === undefined) unknown.push(split)
      else rows += known
    }
    if (unknown.length > 0) {
      const [first] = scan.schema.trimmedPrimaryKeys.length > 0 ? scan.schema.trimmedPrimaryKeys : scan.schema.fields
      const read = await TableRead.create(scan, {
        columns: all ? this.#read.columns : first === undefined ? undefined : [first.name],
        rowKinds: this.#read.rowKinds,
      })
      rows = await read.toBatchReader(unknown, options).fold(rows, (sum, batch) => sum + BigInt(batch.numRows))
    }
    return rows <= limit ? rows : BigInt(limit)
  }

  #limit({ limit = Number.POSITIVE_INFINITY }: ScanOptions): number {
    return Math.min(limit, Math.max(0, this.#context.limit ?? Number.POSITIVE_INFINITY))
  }
}
