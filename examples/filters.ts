// One filter, four spellings. All are typed and bound against the schema before anything is read.
import { col } from 'lakefold'

import { bundled } from './table.js'

const table = await bundled('mixed_deletes')
const counts = await Promise.all([
  table
    .scan()
    .filter(col('id').gtEq(0).and(col('id').lt(26)))
    .count(),
  table
    .scan()
    .filter(['and', ['>=', 'id', 0], ['<', 'id', 26]])
    .count(),
  table.scan().filter('["and",[">=","id",0],["<","id",26]]').count(),
  table
    .scan()
    .filter({
      type: 'and',
      left: { type: 'gt-eq', term: 'id', value: 0 },
      right: { type: 'lt', term: 'id', value: 26 },
    })
    .count(),
  table.scan().filter('id >= 0 and id < 26').count(),
])
console.log(counts.join(' '))

// Two filters are both kept to.
console.log(await table.scan().filter(col('id').gtEq(0)).filter(col('id').lt(26)).count())

/* prints
19 19 19 19 19
19n
*/
