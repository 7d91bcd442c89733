// The reader: batches in plan order whatever the number of workers, within a stated memory.
import { BatchReader } from 'lakefold'

import { bundled } from './table.js'

const table = await bundled('mixed_deletes')
const reader = await table
  .scan()
  .select('id')
  .toBatchReader({ numWorkers: 4, memoryLimit: 64 * 1024 * 1024 })
console.log(reader instanceof BatchReader, reader.numTasks(), reader.schema.fields.map((field) => field.name).join())

let rows = 0
for (let batch = await reader.nextBatch(); batch !== null; batch = await reader.nextBatch()) rows += batch.numRows
reader.raiseIfFailed()
console.log(rows, reader.done, reader.failed())

// A fold, and early exit: leaving the loop cancels the read and frees everything.
const again = await table.scan().select('id').toBatchReader()
console.log(await again.fold(0, (sum, batch) => sum + batch.numRows))
for await (const _ of await table.scan().toBatchReader()) break

// Strings of few values as dictionaries: keys into values that batches share.
const [coded] = await table
  .scan()
  .select('cat')
  .toBatches({ dictionaries: ['cat'] })
console.log(String(coded?.schema.fields[0]?.type), coded?.getChild('cat')?.get(0))

// Small results as plain objects: 64-bit integers are bigint.
const ids: bigint[] = []
for await (const row of table
  .scan()
  .filter(['in', 'id', [46, 1]])
  .select('id')
  .rows())
  ids.push(row.id as bigint)
console.log(ids.sort().join())

/* prints
true 9 id
61 true false
61
Dictionary<Int32, Utf8> c1
1,46
*/
