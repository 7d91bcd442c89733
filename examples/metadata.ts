// The table's metadata, typed and lossless, and its metadata tables as Arrow.
import { bundled } from './table.js'

const table = await bundled('mixed_deletes')
console.log(
  table.metadata.formatVersion,
  table.metadata
    .currentSchema()
    .fields.map((field) => field.name)
    .join(),
)

const { inspect } = table
const tables = [inspect.snapshots(), inspect.history(), inspect.refs(), inspect.manifests(), inspect.files()]
for (const rows of await Promise.all([...tables, inspect.entries(), inspect.partitions()])) {
  console.log(rows.numRows > 0, rows.schema.fields.length > 0)
}

/* prints
2 id,cat,name,v
true true
true true
true true
true true
true true
true true
true true
*/
