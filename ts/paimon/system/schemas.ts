import type { Table } from 'apache-arrow'
import { type Cell, tableOfCells } from '../../arrow/cells.js'
import { fieldsJson } from '../metadata/schema-json.js'
import { wallClock } from './clock.js'
import { optional, required } from './columns.js'
import type { SystemSource } from './source.js'

const COLUMNS = [
  required('schema_id', 'bigint'),
  required('fields', 'string'),
  required('partition_keys', 'string'),
  required('primary_keys', 'string'),
  required('options', 'string'),
  optional('comment', 'string'),
  required('update_time', 'timestamp'),
]

/** The schemas of the table, oldest first; nested members as JSON. */
export async function schemasTable({ view }: SystemSource): Promise<Table> {
  const rows: Cell[][] = []
  for (const id of await view.schemas.ids()) {
    const schema = await view.schemas.byId(id)
    rows.push([
      BigInt(schema.id),
      fieldsJson(schema.fields),
      JSON.stringify(schema.partitionKeys),
      JSON.stringify(schema.primaryKeys),
      JSON.stringify(Object.fromEntries(schema.options.map)),
      schema.comment,
      wallClock(schema.timeMillis),
    ])
  }
  return tableOfCells(COLUMNS, rows)
}
