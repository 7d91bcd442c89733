import type { Table } from 'apache-arrow'
import type { FileIO } from '../../io/file-io.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { entriesTable } from './entries.js'
import { filesTable } from './files.js'
import { historyTable } from './history.js'
import { manifestsTable } from './manifests.js'
import { partitionsTable } from './partitions.js'
import { refsTable } from './refs.js'
import { snapshotsTable } from './snapshots.js'
import type { InspectOptions } from './source.js'

/**
 * The evidence tables of an Iceberg table as Arrow tables, with the columns of Iceberg's own metadata tables.
 *
 * @example
 * ```ts
 * const files = await table.inspect.files()
 * console.log(files.numRows, files.getChild('file_path')?.get(0))
 * ```
 */
export interface TableInspector {
  snapshots(): Promise<Table>
  history(): Promise<Table>
  refs(): Promise<Table>
  manifests(options?: InspectOptions): Promise<Table>
  /** Live data and delete files. */
  files(options?: InspectOptions): Promise<Table>
  /** Manifest entries, deleted ones too. */
  entries(options?: InspectOptions): Promise<Table>
  partitions(options?: InspectOptions): Promise<Table>
}

export function inspect(metadata: TableMetadata, io: FileIO): TableInspector {
  return {
    snapshots: async () => snapshotsTable(metadata),
    history: async () => historyTable(metadata),
    refs: async () => refsTable(metadata),
    manifests: (options = {}) => manifestsTable(metadata, io, options),
    files: (options = {}) => filesTable(metadata, io, options),
    entries: (options = {}) => entriesTable(metadata, io, options),
    partitions: (options = {}) => partitionsTable(metadata, io, options),
  }
}
