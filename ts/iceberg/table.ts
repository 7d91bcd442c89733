import type { FileIO } from '../io/file-io.js'
import { PLAIN_SCAN, type ScanSpec } from '../scan/spec.js'
import { inspect, type TableInspector } from './inspect/inspect.js'
import type { TableMetadata } from './metadata/table-metadata.js'
import { ChangelogScan, IncrementalAppendScan } from './scan/incremental.js'
import { TableScan } from './scan/table-scan.js'

/** What a table needs of whoever opened it. */
export interface IcebergTableOptions {
  readonly io: FileIO
  /** Reads the latest metadata. */
  readonly reload: () => Promise<TableMetadata>
  /** Workers of reads that do not say how many. */
  readonly numWorkers?: number
}

/**
 * An Iceberg table as of the metadata that was read when it was opened or last refreshed.
 *
 * @example
 * ```ts
 * const table = await openTable('/data/events')
 * console.log(table.metadata.currentSchema().fields.map((field) => field.name))
 * console.log(await table.scan().count())
 * ```
 */
export class IcebergTable {
  #metadata: TableMetadata
  readonly #options: IcebergTableOptions

  /** @internal Made by `openTable`. */
  constructor(metadata: TableMetadata, options: IcebergTableOptions) {
    this.#metadata = metadata
    this.#options = options
  }

  /** The table metadata, typed and lossless. */
  get metadata(): TableMetadata {
    return this.#metadata
  }

  /** The evidence tables: snapshots, history, refs, manifests, files, entries, partitions. */
  get inspect(): TableInspector {
    return inspect(this.#metadata, this.#options.io)
  }

  /** A scan of the rows, at first of the current snapshot. */
  scan(): TableScan {
    return TableScan.over(this.#metadata, this.#options.io, this.#spec())
  }

  /** A scan of the rows that appends added between two snapshots. */
  incrementalAppendScan(): IncrementalAppendScan {
    return IncrementalAppendScan.over(this.#metadata, this.#options.io, this.#spec())
  }

  /** A scan of the rows that each snapshot of a range deleted and inserted. */
  changelogScan(): ChangelogScan {
    return ChangelogScan.over(this.#metadata, this.#options.io, this.#spec())
  }

  /** Reads the latest metadata; scans made before keep theirs. Returns this table. */
  async refresh(): Promise<this> {
    this.#metadata = await this.#options.reload()
    return this
  }

  #spec(): ScanSpec {
    return { ...PLAIN_SCAN, numWorkers: this.#options.numWorkers }
  }
}
