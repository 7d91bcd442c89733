import type { Table } from 'apache-arrow'
import { tableOfCells } from '../../arrow/cells.js'
import { BinaryRow } from '../metadata/binary-row.js'
import { manifestsOf } from '../plan/read-entries.js'
import { optional, required } from './columns.js'
import { type SystemSource, snapshotOf } from './source.js'
import { rowText } from './value-text.js'

const COLUMNS = [
  required('file_name', 'string'),
  required('file_size', 'bigint'),
  required('num_added_files', 'bigint'),
  required('num_deleted_files', 'bigint'),
  required('schema_id', 'bigint'),
  optional('min_partition_stats', 'string'),
  optional('max_partition_stats', 'string'),
  optional('min_row_id', 'bigint'),
  optional('max_row_id', 'bigint'),
]

/** The manifests of the snapshot: those of the base list, the delta list and the changelog. */
export async function manifestsTable(source: SystemSource): Promise<Table> {
  const { view, options } = source
  const snapshot = await snapshotOf(source)
  if (snapshot === undefined) return tableOfCells(COLUMNS, [])
  const all = await manifestsOf(view, snapshot, 'all', options.signal)
  const changelog = await manifestsOf(view, snapshot, 'changelog', options.signal)
  const fields = view.schema.partitionFields
  const bounds = (bytes: Uint8Array | undefined, file: string) => {
    if (bytes === undefined) return undefined
    const row = BinaryRow.deserialize(bytes, { file, field: '_PARTITION_STATS' })
    return row.arity < fields.length ? undefined : rowText(fields, row.values(fields.map((field) => field.type)))
  }
  const rows = [...all, ...changelog].map(({ meta, list }) => [
    meta.fileName,
    meta.fileSize,
    meta.numAddedFiles,
    meta.numDeletedFiles,
    meta.schemaId,
    bounds(meta.partitionStats?.minValues, list),
    bounds(meta.partitionStats?.maxValues, list),
    meta.minRowId,
    meta.maxRowId,
  ])
  return tableOfCells(COLUMNS, rows)
}
