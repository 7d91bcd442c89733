// Iceberg's rule: null satisfies !=. In SQL-like text it never does, as in SQL.
import { col } from 'lakefold'

import { bundled } from './table.js'

const table = await bundled('null_heavy')
const [column] = table
  .scan()
  .currentSchema()
  .fields.filter((field) => field.type.kind === 'string')
const name = column!.name
const iceberg = await table.scan().filter(col(name).notEq('no such value')).count()
const sql = await table.scan().filter(`${name} <> 'no such value'`).count()
const nulls = await table.scan().filter(col(name).isNull()).count()
console.log(iceberg === sql + nulls, nulls > 0n)

/* prints
true true
*/
