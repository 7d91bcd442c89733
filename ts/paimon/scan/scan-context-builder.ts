import { LakefoldError } from '../../base/errors.js'
import type { FilterInput } from '../../expr/parse.js'
import type { FileIO } from '../../io/file-io.js'
import { LocalFileIO } from '../../io/local.js'
import { FormatTable } from '../format-table/format-table.js'
import { join } from '../metadata/paths.js'
import type { MetadataRowReader } from '../metadata/record-file.js'
import { snapshotId } from '../metadata/snapshot-id.js'
import type { PaimonCache } from '../plan/entry-cache.js'
import type { PartitionFilter } from '../plan/partition-pruner.js'
import { type RowRange, rowRanges } from '../plan/row-ranges.js'
import { nativeMetadataRows } from './metadata-rows.js'
import type { GlobalIndexResult, ScanContext, TableCatalog } from './scan-context.js'

/**
 * Builds what a scan is asked for, by the names of Paimon's scan guide. Each setter returns the builder; {@link finish} checks, and leaves
 * a builder that has nothing set but its path.
 *
 * @example
 * ```ts
 * const context = new ScanContextBuilder('/lake/db.db/t').setPredicate(col('id').eq(7)).setLimit(10).finish()
 * const plan = await (await TableScan.create(context)).createPlan()
 * ```
 */
export class ScanContextBuilder {
  readonly #table: string | FormatTable
  #set = new Settings()

  /** A table's folder, or a format table. @throws LakefoldError INVALID_ARGUMENT for neither */
  constructor(table: string | FormatTable) {
    this.#table = table
  }

  /** At most about so many rows are of use: the plan may leave out splits beyond them. The reader still counts. */
  setLimit(limit: number): this {
    this.#set.limit = limit
    return this
  }

  /** Only this bucket; buckets are then not derived from the predicate. */
  setBucketFilter(bucket: number): this {
    this.#set.bucket = bucket
    return this
  }

  /** Only partitions that one of the maps describes, values as folders spell them. A column that is not named may have any value. */
  setPartitionFilter(filter: PartitionFilter): this {
    this.#set.partitionFilter = filter
    return this
  }

  /** Only rows that match, in any spelling of a filter. */
  setPredicate(predicate: FilterInput): this {
    this.#set.predicates = [predicate]
    return this
  }

  /** Only rows that a global index search found; for tables with row ids. */
  setGlobalIndexResult(result: GlobalIndexResult): this {
    this.#set.rowRanges = result.rowRanges
    return this
  }

  /** Rows that are still in a writer's memory, which this build cannot see. @throws LakefoldError UNSUPPORTED */
  withRealtimeContext(_context: unknown): this {
    throw new LakefoldError(
      'UNSUPPORTED',
      'Realtime contexts are not supported: rows that are not committed cannot be read',
      {
        context: { option: 'realtimeContext' },
      },
    )
  }

  /** Sets one option, over the table's own. */
  addOption(key: string, value: string): this {
    this.#set.options.set(key, value)
    return this
  }

  /** Sets the options, over the table's own, and drops those set before. */
  setOptions(options: Readonly<Record<string, string>> | ReadonlyMap<string, string>): this {
    this.#set.options = new Map(options instanceof Map ? options : Object.entries(options))
    return this
  }

  /** Whether `createPlan` goes on, from snapshot to snapshot. */
  withStreamingMode(streaming: boolean): this {
    this.#set.streaming = streaming
    return this
  }

  /** A stream goes on with this snapshot, whatever its options say about where to begin. */
  withRestoredSnapshot(nextSnapshotId: number | bigint): this {
    this.#set.restoredSnapshot = snapshotId(nextSnapshotId)
    return this
  }

  /** Taken for the guide's sake: memory is bounded by the reader's `memoryLimit`. */
  withMemoryPool(_pool: unknown): this {
    return this
  }

  /** `numWorkers`: files decoded at the same time by readers that do not say. */
  withExecutor(executor: { readonly numWorkers?: number }): this {
    this.#set.numWorkers = executor.numWorkers
    return this
  }

  /** Reads files through `io`. */
  withFileSystem(io: FileIO): this {
    this.#set.io = io
    return this
  }

  /** Reads files as a catalog reaches those of its table; {@link withFileSystem} goes before. */
  withCatalog(catalog: TableCatalog, identifier: string): this {
    this.#set.catalog = () => Promise.resolve(catalog.fileIO(identifier))
    return this
  }

  /** A schema as JSON, taken in place of the one on disk without a check; main branch only. */
  setTableSchema(json: string): this {
    this.#set.tableSchema = json
    return this
  }

  /** Keeps the files of buckets between plans; see the option `scan.manifest-entry-cache.max-snapshots`. Undefined: no cache. */
  withCache(cache: PaimonCache | undefined): this {
    this.#set.cache = cache
    return this
  }

  /** Reads metadata in ORC and Parquet through `rows`. */
  withMetadataRows(rows: MetadataRowReader): this {
    this.#set.rows = rows
    return this
  }

  /** Finds columns whatever their case. */
  caseInsensitive(): this {
    this.#set.caseSensitive = false
    return this
  }

  /** The context; the builder forgets all but the table. @throws LakefoldError INVALID_ARGUMENT naming what is at fault */
  finish(): ScanContext {
    const set = this.#set
    const table = this.#table
    const formatTable = FormatTable.is(table) ? table : undefined
    if (formatTable === undefined && typeof table !== 'string') {
      throw invalid('table', 'A scan needs the path of a table or a format table', table)
    }
    if (formatTable !== undefined) {
      if (set.tableSchema !== undefined) throw invalid('tableSchema', 'A format table brings its own schema', table)
      if (set.io !== undefined || set.catalog !== undefined) {
        throw invalid('fileSystem', 'A format table brings its own file system', table)
      }
    }
    const path = formatTable?.location ?? normalPath(table as string)
    checkWhole('limit', set.limit)
    checkWhole('bucket', set.bucket)
    const context: ScanContext = {
      path,
      formatTable,
      io: formatTable?.io ?? set.io ?? set.catalog ?? new LocalFileIO(),
      rows: set.rows ?? (typeof table === 'string' ? nativeMetadataRows(set.io ?? new LocalFileIO()) : undefined),
      limit: set.limit,
      bucket: set.bucket,
      partitionFilter: set.partitionFilter,
      predicates: set.predicates,
      rowRanges: set.rowRanges === undefined ? undefined : (rowRanges(set.rowRanges) as readonly RowRange[]),
      options: set.options,
      streaming: set.streaming,
      restoredSnapshot: set.restoredSnapshot,
      tableSchema: set.tableSchema,
      cache: set.cache,
      numWorkers: set.numWorkers,
      caseSensitive: set.caseSensitive,
    }
    this.#set = new Settings()
    return context
  }
}

class Settings {
  limit: number | undefined
  bucket: number | undefined
  partitionFilter: PartitionFilter = []
  predicates: readonly FilterInput[] = []
  rowRanges: GlobalIndexResult['rowRanges'] | undefined
  options = new Map<string, string>()
  streaming = false
  restoredSnapshot: bigint | undefined
  io: FileIO | undefined
  catalog: (() => Promise<FileIO>) | undefined
  tableSchema: string | undefined
  cache: PaimonCache | undefined
  rows: MetadataRowReader | undefined
  numWorkers: number | undefined
  caseSensitive = true
}

function normalPath(path: string): string {
  const trimmed = path.trim()
  if (trimmed === '' || /^\/*$/.test(trimmed))
    throw invalid('path', 'A scan needs the path of a table, not an empty one', path)
  return join(trimmed)
}

function checkWhole(field: string, value: number | undefined): void {
  if (value === undefined || Number.isSafeInteger(value)) return
  throw invalid(field, `${field} must be a whole number, not ${value}`, value)
}

function invalid(field: string, message: string, value: unknown): LakefoldError {
  return new LakefoldError('INVALID_ARGUMENT', message, { context: { field, option: field, value } })
}
