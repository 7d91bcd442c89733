// Open a table, keep some rows and columns, read record batches in order.
import { col } from 'lakefold'

import { bundled } from './table.js'

const table = await bundled('mixed_deletes')
const scan = table.scan().filter(col('cat').eq('c1')).select('id', 'name')

let rows = 0
for await (const batch of await scan.toBatchReader({ numWorkers: 2 })) {
  rows += batch.numRows
}
console.log(rows, await scan.count())

/* prints
17 17n
*/
