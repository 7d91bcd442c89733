import type { Table } from 'apache-arrow'
import { tableOfCells } from '../../arrow/cells.js'
import { type ColumnStatistics, readStatistics } from '../metadata/statistics.js'
import { optional, required } from './columns.js'
import { type SystemSource, snapshotOf } from './source.js'

const COLUMNS = [
  required('snapshot_id', 'bigint'),
  required('schema_id', 'bigint'),
  optional('mergedRecordCount', 'bigint'),
  optional('mergedRecordSize', 'bigint'),
  optional('colstat', 'string'),
]

/** What ANALYZE found out at the snapshot; no row where it was not run. */
export async function statisticsTable(source: SystemSource): Promise<Table> {
  const { view, options } = source
  const name = (await snapshotOf(source))?.statistics
  if (name === undefined) return tableOfCells(COLUMNS, [])
  const stats = await readStatistics(view.io, view.paths, name, options.signal)
  const { snapshotId, schemaId, mergedRecordCount, mergedRecordSize, colStats } = stats
  const row = [snapshotId, BigInt(schemaId), mergedRecordCount, mergedRecordSize, columnsJson(colStats)]
  return tableOfCells(COLUMNS, [row])
}

function columnsJson(columns: ReadonlyMap<string, ColumnStatistics>): string {
  const members = [...columns].map(([name, column]) => {
    const parts = Object.entries(column).map(([key, value]) => {
      // A bigint is a number in JSON, whole.
      return `${JSON.stringify(key)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`
    })
    return `${JSON.stringify(name)}:{${parts.join(',')}}`
  })
  return `{${members.join(',')}}`
}
