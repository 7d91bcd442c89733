// The filter builder: a column's predicates, and what joins them. Every value is a new one.
import { and, Column, col, Filter, not, or, transform } from 'lakefold'

import { bundled } from './table.js'

const id = col('id')
console.log(id instanceof Column, id.lt(26) instanceof Filter)

const table = await bundled('mixed_deletes')
const count = (filter: Filter) => table.scan().filter(filter).count()
console.log(await count(and(id.gtEq(0), id.lt(26))), await count(or(id.eq(46), id.eq(1))), await count(not(id.lt(26))))

// A term may be a partition transform of a column.
const halves = await Promise.all([0, 1].map((bucket) => count(transform('bucket[2]', 'id').eq(bucket))))
console.log(halves.reduce((sum, rows) => sum + rows))

/* prints
true true
19n 2n 42n
61n
*/
