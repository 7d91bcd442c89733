import type { ManifestFile } from '../manifest/types.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { countResult } from './plan.js'
import { PlanContext, type PlanRequest } from './plan-context.js'
import type { PlannedFile } from './planned-file.js'
import { dataEntries, type EntryRule, snapshotManifests } from './read-manifests.js'

/**
 * The data files that the append snapshots of a range added (Iceberg Java, `IncrementalAppendScan`). No deletes apply:
 * rows that a later snapshot deleted still come.
 *
 * @param snapshots the range, newest first
 * @param snapshotId the end of the range, which the tasks carry
 */
export async function* planAppends(
  request: PlanRequest,
  snapshots: readonly Snapshot[],
  snapshotId: bigint,
): AsyncGenerator<PlannedFile[]> {
  const context = new PlanContext(request)
  const appends = snapshots.filter((snapshot) => snapshot.operation === 'append')
  const ids = new Set(appends.map((snapshot) => snapshot.snapshotId))
  const manifests = await manifestsAddedBy(context, appends, ids)
  request.trace.metrics['total-data-manifests'] += manifests.length
  const rule: EntryRule = {
    manifest: (manifest) => manifest.addedFilesCount !== 0,
    entry: (entry) => entry.status === 'added' && entry.snapshotId !== undefined && ids.has(entry.snapshotId),
  }
  for await (const entries of dataEntries(context, manifests, rule)) {
    const planned = entries.map(({ file }): PlannedFile => {
      return { file, deletes: [], residual: context.residual(file), snapshotId }
    })
    for (const one of planned) countResult(request.trace.metrics, one)
    yield planned
  }
}

/** Data manifests of the snapshots that one of them added, each once. */
async function manifestsAddedBy(
  context: PlanContext,
  snapshots: readonly Snapshot[],
  ids: ReadonlySet<bigint>,
): Promise<ManifestFile[]> {
  const byPath = new Map<string, ManifestFile>()
  for (const snapshot of snapshots) {
    for (const manifest of (await snapshotManifests(context, snapshot)).data) {
      // A list that does not say who added a manifest leaves it to the entries.
      const added = manifest.addedSnapshotId === undefined || ids.has(manifest.addedSnapshotId)
      if (added && !byPath.has(manifest.path)) byPath.set(manifest.path, manifest)
    }
  }
  return [...byPath.values()]
}
