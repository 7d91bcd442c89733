import type { Table } from 'apache-arrow'
import { tableOfCells } from '../../arrow/cells.js'
import { required } from './columns.js'
import type { SystemSource } from './source.js'

const COLUMNS = [required('key', 'string'), required('value', 'string')]

/** The options of the table's newest schema, as they are written. */
export async function optionsTable({ view }: SystemSource): Promise<Table> {
  return tableOfCells(COLUMNS, [...view.options.map])
}
