import type { Table } from 'apache-arrow'
import { type Cell, tableOfCells } from '../../arrow/cells.js'
import { wallClock } from './clock.js'
import { optional, required } from './columns.js'
import type { SystemSource } from './source.js'

const COLUMNS = [
  required('snapshot_id', 'bigint'),
  required('schema_id', 'bigint'),
  required('commit_user', 'string'),
  required('commit_identifier', 'bigint'),
  required('commit_kind', 'string'),
  required('commit_time', 'timestamp'),
  required('base_manifest_list', 'string'),
  required('delta_manifest_list', 'string'),
  optional('changelog_manifest_list', 'string'),
  optional('total_record_count', 'bigint'),
  optional('delta_record_count', 'bigint'),
  optional('changelog_record_count', 'bigint'),
  optional('watermark', 'bigint'),
  optional('next_row_id', 'bigint'),
]

/** The snapshots that have not expired, oldest first. */
export async function snapshotsTable({ view, options }: SystemSource): Promise<Table> {
  const rows: Cell[][] = []
  for await (const snapshot of view.snapshots.all(options.signal)) {
    rows.push([
      snapshot.id,
      BigInt(snapshot.schemaId),
      snapshot.commitUser,
      snapshot.commitIdentifier,
      snapshot.commitKind,
      wallClock(snapshot.timeMillis),
      snapshot.baseManifestList,
      snapshot.deltaManifestList,
      snapshot.changelogManifestList,
      snapshot.totalRecordCount,
      snapshot.deltaRecordCount,
      snapshot.changelogRecordCount,
      snapshot.storedWatermark,
      snapshot.nextRowId,
    ])
  }
  return tableOfCells(COLUMNS, rows)
}
