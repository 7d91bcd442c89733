import type { Table } from 'apache-arrow'
import type { FileIO } from '../../io/file-io.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
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

/** They are made of apache-arrow, which the first of them loads. */
const tables = () => import('./tables.js')

export function inspect(metadata: TableMetadata, io: FileIO): TableInspector {
  return {
    snapshots: async () => (await tables()).snapshotsTable(metadata),
    history: async () => (await tables()).historyTable(metadata),
    refs: async () => (await tables()).refsTable(metadata),
    manifests: async (options = {}) => (await tables()).manifestsTable(metadata, io, options),
    files: async (options = {}) => (await tables()).filesTable(metadata, io, options),
    entries: async (options = {}) => (await tables()).entriesTable(metadata, io, options),
    partitions: async (options = {}) => (await tables()).partitionsTable(metadata, io, options),
  }
}
