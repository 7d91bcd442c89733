import type { Table } from 'apache-arrow'
import type { FileIO } from '../../io/file-io.js'
import type { EntryStatus } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable, type Cell } from './arrow.js'
import { optional, required, struct } from './columns.js'
import { ContentFileColumns } from './content-file-columns.js'
import { ReadableMetrics } from './readable-metrics.js'
import { entriesOf, type InspectOptions } from './source.js'

const STATUS_CODES: Record<EntryStatus, number> = { existing: 0, added: 1, deleted: 2 }

/** The entries of a snapshot's manifests, deleted ones too, with sequence numbers inherited. */
export async function entriesTable(metadata: TableMetadata, io: FileIO, options: InspectOptions): Promise<Table> {
  const file = new ContentFileColumns(metadata)
  const metrics = new ReadableMetrics(metadata.currentSchema())
  const columns = [
    required('status', 'int'),
    optional('snapshot_id', 'long'),
    optional('sequence_number', 'long'),
    optional('file_sequence_number', 'long'),
    required('data_file', struct(file.columns)),
    metrics.column,
  ]
  const rows: Cell[][] = []
  for await (const entry of entriesOf(metadata, io, 'all', options)) {
    rows.push([
      STATUS_CODES[entry.status],
      entry.snapshotId,
      entry.file.dataSequenceNumber,
      entry.file.fileSequenceNumber,
      file.cells(entry.file),
      metrics.cell(entry.file),
    ])
  }
  return arrowTable(columns, rows)
}
