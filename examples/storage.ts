// Scans over metadata that is already there, own storage, and giving memory back early.
import { ChangelogScan, IcebergTable, IncrementalAppendScan, LocalFileIO, releaseBatch, TableScan } from 'lakefold'

import { bundled, LAKE } from './table.js'

const table = await bundled('incremental_mor')
console.log(table instanceof IcebergTable, (await table.refresh()) === table)

const io = new LocalFileIO({ rewriteLocations: { 'file:/lake/iceberg': LAKE } })
console.log(await TableScan.of(table.metadata, io).count())
const appends = IncrementalAppendScan.of(table.metadata, io)
const changes = ChangelogScan.of(table.metadata, io)
console.log((await appends.planFiles()).length > 0, (await changes.planFiles()).length > 0)

// A batch's memory goes when the batch is garbage, or at once if it is released.
for (const batch of await table.scan().toBatches()) releaseBatch(batch)

/* prints
true true
22n
true true
*/
