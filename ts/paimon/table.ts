import { LakefoldError } from '../base/errors.js'
import { preload } from '../base/native.js'
import type { FileIO } from '../io/file-io.js'
import { LocalFileIO } from '../io/local.js'
import { branchPaths } from './metadata/branches.js'
import { removeConsumer, writeConsumer } from './metadata/consumers.js'
import type { Options } from './metadata/option.js'
import { TablePaths } from './metadata/paths.js'
import type { MetadataRowReader } from './metadata/record-file.js'
import type { TableSchema } from './metadata/schema.js'
import { SchemaStore } from './metadata/schema-store.js'
import { snapshotId } from './metadata/snapshot-id.js'
import type { PaimonCache } from './plan/entry-cache.js'
import { TableView } from './plan/table-view.js'
import { nativeMetadataRows } from './scan/metadata-rows.js'
import { PaimonScan } from './scan/paimon-scan.js'
import { SystemTable } from './system/system-table.js'

preload()

/** How a Paimon table is opened. */
export interface PaimonTableOptions {
  readonly io: FileIO
  /** Workers of reads that do not say how many. */
  readonly numWorkers?: number | undefined
  /** The branch to open; main by default. */
  readonly branch?: string | undefined
  /** Keeps entries between plans. */
  readonly cache?: PaimonCache | undefined
  /** Reads metadata in columnar files. */
  readonly rows?: MetadataRowReader | undefined
}

/**
 * A Paimon table, or a branch of one, with the schema that was newest when it was opened or last refreshed. Scans look for the newest snapshot
 * when they plan.
 */
export class PaimonTable {
  readonly location: string
  #view: TableView
  readonly #options: PaimonTableOptions

  private constructor(location: string, view: TableView, options: PaimonTableOptions) {
    this.location = location
    this.#view = view
    this.#options = options
  }

  /** Opens a table's folder. @throws LakefoldError FILE_NOT_FOUND if there is no schema, CORRUPT_FILE or UNSUPPORTED naming the file */
  static async open(location: string, options: Partial<PaimonTableOptions> = {}): Promise<PaimonTable> {
    const complete = { ...options, io: options.io ?? new LocalFileIO() }
    return new PaimonTable(location, await openView(location, complete), complete)
  }

  /** The newest schema, with the table's options. */
  get schema(): TableSchema {
    return this.#view.schema
  }

  get options(): Options {
    return this.#view.options
  }

  /** Snapshots, schemas and files, for tables about the table. */
  get view(): TableView {
    return this.#view
  }

  /**
   * A system table, such as `files` or `snapshots`, by the name that follows the `$`.
   *
   * @throws LakefoldError INVALID_ARGUMENT naming those that there are
   */
  system(name: string): SystemTable {
    return new SystemTable(name, { view: this.#view, scan: () => this.scan() })
  }

  /** A scan of the rows, at first of the newest snapshot. */
  scan(): PaimonScan {
    const { io, numWorkers, cache, rows, branch } = this.#options
    return new PaimonScan({
      path: this.location,
      formatTable: undefined,
      io,
      rows: rows ?? nativeMetadataRows(io),
      limit: undefined,
      bucket: undefined,
      partitionFilter: [],
      predicates: [],
      rowRanges: undefined,
      options: new Map(branch === undefined ? [] : [['branch', branch]]),
      streaming: false,
      restoredSnapshot: undefined,
      tableSchema: undefined,
      cache,
      numWorkers,
      caseSensitive: true,
    })
  }

  /**
   * Has the consumer go on with this snapshot, or undefined: forget it. Streaming scans with its `consumer-id` begin there.
   *
   * @throws LakefoldError UNSUPPORTED if the storage takes no files, ACCESS_DENIED, IO_ERROR
   */
  async resetConsumer(id: string, nextSnapshot: number | bigint | undefined): Promise<void> {
    const { io, paths } = this.#view
    if (nextSnapshot === undefined) await removeConsumer(io, paths, id)
    else await writeConsumer(io, paths, { id, nextSnapshot: snapshotId(nextSnapshot) })
  }

  /** Reads the newest schema. Returns this table. */
  async refresh(): Promise<this> {
    this.#view = await openView(this.location, this.#options)
    return this
  }
}

async function openView(location: string, { io, rows, branch }: PaimonTableOptions): Promise<TableView> {
  const root = new TablePaths(location)
  const paths = branch === undefined ? root : await branchPaths(io, root, branch)
  const schema = await new SchemaStore(io, paths).latest()
  if (schema !== undefined) return TableView.open(io, paths, schema, rows ?? nativeMetadataRows(io))
  throw new LakefoldError('FILE_NOT_FOUND', `${paths.schemaFolder} holds no schema: ${location} is no Paimon table`, {
    context: { file: paths.schemaFolder },
  })
}
