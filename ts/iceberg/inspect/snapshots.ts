import type { Table } from 'apache-arrow'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable } from './arrow.js'
import { mapOf, micros, optional, required } from './columns.js'

const COLUMNS = [
  required('committed_at', 'timestamptz'),
  required('snapshot_id', 'long'),
  optional('parent_id', 'long'),
  optional('operation', 'string'),
  optional('manifest_list', 'string'),
  optional('summary', mapOf({ kind: 'string' }, { kind: 'string' })),
]

/** The valid snapshots of the table, as the metadata lists them. */
export function snapshotsTable(metadata: TableMetadata): Table {
  return arrowTable(
    COLUMNS,
    metadata.snapshots.map((snapshot) => [
      micros(snapshot.timestampMs),
      snapshot.snapshotId,
      snapshot.parentSnapshotId,
      snapshot.operation,
      snapshot.manifestList,
      [...snapshot.summary],
    ]),
  )
}
