import { canonical } from '../json.js'
import type { Row } from './rows.js'

/** When files were copied is not what the cases tell. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = { branches: ['create_time'] }

/** The last update of a partition or bucket counts files that are gone too, which a reader need not know of. */
const TIMES: ReadonlySet<string> = new Set(['last_update_time'])

/** A row of a system table without what a reader need not reproduce; paths from the table's database on. */
export function comparableSystemRow(table: string, row: Row): Row {
  const out: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(row)) {
    if (LEFT_OUT[table]?.includes(name) || TIMES.has(name)) out[name] = value === null ? null : 'a time'
    // The order of options is that of a hash table.
    else if (table === 'schemas' && name === 'options') out[name] = canonical(JSON.parse(String(value)))
    else if (name === 'file_path') out[name] = String(value).replace(/^.*\/(?=[^/]+\.db\/)/, '')
    else out[name] = value
  }
  return out
}
