import type { FilterInput } from '../../expr/parse.js'
import type { FileIO } from '../../io/file-io.js'
import type { FormatTable } from '../format-table/format-table.js'
import type { MetadataRowReader } from '../metadata/record-file.js'
import type { PaimonCache } from '../plan/entry-cache.js'
import type { PartitionFilter } from '../plan/partition-pruner.js'
import type { RowRange } from '../plan/row-ranges.js'

/** What a global index search found: the ids of rows that may match, as ranges with both ends inclusive. */
export interface GlobalIndexResult {
  readonly rowRanges: readonly (readonly [number | bigint, number | bigint])[]
}

/** A catalog that knows how the files of its tables are reached. */
export interface TableCatalog {
  fileIO(identifier: string): FileIO | Promise<FileIO>
}

/** Everything that a scan was asked for, checked. Made by `ScanContextBuilder.finish()`. */
export interface ScanContext {
  /** Location of the table; of a format table its own. */
  readonly path: string
  readonly formatTable: FormatTable | undefined
  readonly io: FileIO | (() => Promise<FileIO>)
  readonly rows: MetadataRowReader | undefined
  readonly limit: number | undefined
  readonly bucket: number | undefined
  readonly partitionFilter: PartitionFilter
  readonly predicates: readonly FilterInput[]
  readonly rowRanges: readonly RowRange[] | undefined
  readonly options: ReadonlyMap<string, string>
  readonly streaming: boolean
  /** The snapshot that a stream goes on with. */
  readonly restoredSnapshot: bigint | undefined
  /** A schema's JSON that is trusted in place of the one on disk. */
  readonly tableSchema: string | undefined
  readonly cache: PaimonCache | undefined
  readonly numWorkers: number | undefined
  readonly caseSensitive: boolean
}
