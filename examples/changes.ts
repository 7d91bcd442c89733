// What changed between two snapshots: rows appended, and a changelog that also knows delete files.
import { bundled } from './table.js'

const table = await bundled('incremental_mor')
const [first, , , last] = [...table.metadata.snapshots].sort((a, b) => Number(a.timestampMs - b.timestampMs))

const appended = table.incrementalAppendScan().fromSnapshotExclusive(first!.snapshotId)
let rows = 0
for await (const batch of await appended.toBatchReader()) rows += batch.numRows
console.log(rows)

const changes = table.changelogScan().fromSnapshotExclusive(first!.snapshotId).toSnapshot(last!.snapshotId)
const kinds = new Set<string>()
for await (const batch of await changes.toBatchReader()) {
  for (const kind of batch.getChild('_change_type')!) kinds.add(String(kind))
}
console.log([...kinds].sort().join())

/* prints
5
DELETE,INSERT
*/
