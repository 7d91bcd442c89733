import type { Table } from 'apache-arrow'
import type { FileIO } from '../../io/file-io.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable, type Cell } from './arrow.js'
import { ContentFileColumns } from './content-file-columns.js'
import { ReadableMetrics } from './readable-metrics.js'
import { entriesOf, type InspectOptions } from './source.js'

/** The live data and delete files of a snapshot. */
export async function filesTable(metadata: TableMetadata, io: FileIO, options: InspectOptions): Promise<Table> {
  const file = new ContentFileColumns(metadata)
  const metrics = new ReadableMetrics(metadata.currentSchema())
  const rows: Cell[][] = []
  for await (const entry of entriesOf(metadata, io, 'all', options)) {
    if (entry.status !== 'deleted') rows.push([...file.cells(entry.file), metrics.cell(entry.file)])
  }
  return arrowTable([...file.columns, metrics.column], rows)
}
