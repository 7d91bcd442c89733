import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { decodeText } from '../../base/text.js'
import type { FileIO } from '../../io/file-io.js'
import type { TablePaths } from './paths.js'
import { defined, safe } from './snapshot.js'

/** What ANALYZE found out about a column; minimum and maximum are text. */
export interface ColumnStatistics {
  readonly colId: number
  readonly distinctCount?: bigint
  readonly min?: string
  readonly max?: string
  readonly nullCount?: bigint
  readonly avgLen?: bigint
  readonly maxLen?: bigint
}

/** What ANALYZE found out about the table at a snapshot. */
export interface TableStatistics {
  readonly snapshotId: bigint
  readonly schemaId: number
  readonly mergedRecordCount?: bigint
  readonly mergedRecordSize?: bigint
  /** By column name. */
  readonly colStats: ReadonlyMap<string, ColumnStatistics>
}

/** Reads the statistics file that a snapshot names. */
export async function readStatistics(
  io: FileIO,
  paths: TablePaths,
  name: string,
  signal?: AbortSignal,
): Promise<TableStatistics> {
  const file = paths.statistics(name)
  return parseStatistics(await io.read(file, undefined, signal), file)
}

/** Reads the bytes of a statistics file; CORRUPT_FILE naming file and field where it is not one. */
export function parseStatistics(bytes: Uint8Array, file: string): TableStatistics {
  const json = new JsonObject(parseJson(decodeText(bytes, file), file), file)
  const colStats = new Map<string, ColumnStatistics>()
  const columns = json.optObject('colStats')
  for (const name of columns?.keys() ?? []) {
    const column = columns?.optObject(name)
    if (column === undefined) continue
    colStats.set(
      name,
      defined({
        colId: column.int('colId'),
        distinctCount: column.optLong('distinctCount'),
        min: column.optString('min'),
        max: column.optString('max'),
        nullCount: column.optLong('nullCount'),
        avgLen: column.optLong('avgLen'),
        maxLen: column.optLong('maxLen'),
      }),
    )
  }
  return defined({
    snapshotId: json.long('snapshotId'),
    schemaId: safe(json, 'schemaId'),
    mergedRecordCount: json.optLong('mergedRecordCount'),
    mergedRecordSize: json.optLong('mergedRecordSize'),
    colStats,
  })
}
