/** What readers make of apache-arrow, to be loaded by {@link loadArrow}. */

export { RecordBatchStreamWriter, Table } from 'apache-arrow'
export { assembleBatch, assembleDictionary } from './assemble.js'
export { arrowSchema } from './schema.js'
