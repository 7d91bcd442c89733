/** The evidence tables, loaded together by the first that is asked for. */

export { entriesTable } from './entries.js'
export { filesTable } from './files.js'
export { historyTable } from './history.js'
export { manifestsTable } from './manifests.js'
export { partitionsTable } from './partitions.js'
export { refsTable } from './refs.js'
export { snapshotsTable } from './snapshots.js'
