import type { Snapshot } from '../metadata/snapshot.js'
import type { FileEntry } from '../plan/live-entry.js'
import { mergeEntries } from '../plan/live-entry.js'
import { manifestsOf, readEntries } from '../plan/read-entries.js'
import { PlanCounts } from '../plan/scan-metrics.js'
import type { TableView } from '../plan/table-view.js'

/** How a system table is read. */
export interface SystemOptions {
  /** Which snapshot tables of files look at; the newest by default. */
  readonly snapshotId?: bigint
  readonly signal?: AbortSignal
}

/** What a system table is made from. */
export interface SystemSource {
  readonly view: TableView
  readonly options: SystemOptions
}

/** The snapshot to look at; undefined in a table without any. UNKNOWN_SNAPSHOT for an id that is not there. */
export async function snapshotOf({ view, options }: SystemSource): Promise<Snapshot | undefined> {
  const { snapshotId, signal } = options
  return snapshotId === undefined ? view.snapshots.latest(signal) : view.snapshots.byId(snapshotId, signal)
}

/** The files of the snapshot that are there, in manifest order. */
export async function liveFiles(source: SystemSource): Promise<readonly FileEntry[]> {
  const { view, options } = source
  const snapshot = await snapshotOf(source)
  if (snapshot === undefined) return []
  const manifests = await manifestsOf(view, snapshot, 'all', options.signal)
  return mergeEntries(await readEntries(view, manifests, {}, new PlanCounts(), options.signal))
}
