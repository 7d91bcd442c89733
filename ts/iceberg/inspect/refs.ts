import type { Table } from 'apache-arrow'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable } from './arrow.js'
import { optional, required } from './columns.js'

const COLUMNS = [
  required('name', 'string'),
  required('type', 'string'),
  required('snapshot_id', 'long'),
  optional('max_reference_age_in_ms', 'long'),
  optional('min_snapshots_to_keep', 'int'),
  optional('max_snapshot_age_in_ms', 'long'),
]

/** Branches and tags. */
export function refsTable(metadata: TableMetadata): Table {
  return arrowTable(
    COLUMNS,
    [...metadata.refs].map(([name, ref]) => [
      name,
      ref.type.toUpperCase(),
      ref.snapshotId,
      ref.maxRefAgeMs,
      ref.minSnapshotsToKeep,
      ref.maxSnapshotAgeMs,
    ]),
  )
}
