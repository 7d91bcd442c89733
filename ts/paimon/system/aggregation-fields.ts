import type { Table } from 'apache-arrow'
import { tableOfCells } from '../../arrow/cells.js'
import { typeText } from '../metadata/types.js'
import { optional, required } from './columns.js'
import type { SystemSource } from './source.js'

const COLUMNS = [
  required('field_name', 'string'),
  required('field_type', 'string'),
  optional('function', 'string'),
  optional('function_options', 'string'),
  optional('comment', 'string'),
]

/** The columns, each with its options `fields.<name>.…`: their values and their keys. */
export async function aggregationFieldsTable({ view }: SystemSource): Promise<Table> {
  const rows = view.schema.fields.map((field) => {
    const own = [...view.options.map].filter(([key]) => fieldOf(key) === field.name)
    const list = (texts: readonly string[]) => `[${texts.join(', ')}]`
    return [
      field.name,
      typeText(field.type),
      list(own.map(([, value]) => value)),
      list(own.map(([key]) => key)),
      field.description,
    ]
  })
  return tableOfCells(COLUMNS, rows)
}

/** The column that an option `fields.<name>.…` speaks of: what stands between the first two dots, as the reference has it. */
function fieldOf(key: string): string | undefined {
  return /^fields\.([^.]*)\..*[^.]/.exec(key)?.[1]
}
