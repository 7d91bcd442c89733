// Snapshots, tags and branches, points in time.
import { bundled } from './table.js'

const table = await bundled('mixed_deletes')
const [first] = [...table.metadata.snapshots].sort((a, b) => Number(a.timestampMs - b.timestampMs))
console.log(await table.scan().useSnapshot(first!.snapshotId).count())
console.log(await table.scan().asOf(Number(first!.timestampMs)).count())
console.log(await table.scan().useRef('main').count())

/* prints
30n
30n
61n
*/
