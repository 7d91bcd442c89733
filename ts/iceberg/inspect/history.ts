import type { Table } from 'apache-arrow'
import { lineageOf } from '../metadata/lineage.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable } from './arrow.js'
import { micros, optional, required } from './columns.js'

const COLUMNS = [
  required('made_current_at', 'timestamptz'),
  required('snapshot_id', 'long'),
  optional('parent_id', 'long'),
  required('is_current_ancestor', 'boolean'),
]

/** The snapshot log: what was current when. Expired snapshots have no parent there. */
export function historyTable(metadata: TableMetadata): Table {
  const lineage = lineageOf(metadata, metadata.currentSnapshot()?.snapshotId)
  const ancestors = new Set(lineage.map((snapshot) => snapshot.snapshotId))
  return arrowTable(
    COLUMNS,
    metadata.snapshotLog.map(({ timestampMs, snapshotId }) => [
      micros(timestampMs),
      snapshotId,
      metadata.findSnapshot(snapshotId)?.parentSnapshotId,
      ancestors.has(snapshotId),
    ]),
  )
}
