import { LakefoldError } from '../../base/errors.js'
import type { ContentFile } from '../manifest/types.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { countResult } from './plan.js'
import { PlanContext, type PlanRequest } from './plan-context.js'
import type { Change, PlannedFile } from './planned-file.js'
import {
  dataEntries,
  type EntryRule,
  indexDeletes,
  type SnapshotManifests,
  snapshotManifests,
} from './read-manifests.js'

/**
 * The changes of a range of snapshots as files with the rows that each snapshot deleted or inserted: oldest snapshot
 * first, its deletes before its inserts. Snapshots that only rewrote files are left out. Each one is compared with its
 * own parent, so that delete files count in both directions.
 *
 * @param snapshots the range, newest first
 */
export async function* planChanges(
  request: PlanRequest,
  snapshots: readonly Snapshot[],
): AsyncGenerator<PlannedFile[]> {
  const context = new PlanContext(request)
  const kept = snapshots.filter((snapshot) => snapshot.operation !== 'replace').reverse()
  for (const [ordinal, snapshot] of kept.entries()) {
    const changes = new SnapshotChanges(context, snapshot, ordinal)
    const planned = await changes.plan()
    for (const one of planned) countResult(request.trace.metrics, one)
    yield planned
  }
}

/** The changes of one snapshot. */
class SnapshotChanges {
  readonly #deleted: PlannedFile[] = []
  readonly #inserted: PlannedFile[] = []

  constructor(
    private readonly context: PlanContext,
    private readonly snapshot: Snapshot,
    private readonly ordinal: number,
  ) {}

  async plan(): Promise<PlannedFile[]> {
    const now = await snapshotManifests(this.context, this.snapshot)
    const before = await this.#parentManifests(now)
    const { metrics } = this.context.request.trace
    metrics['total-data-manifests'] += now.data.length
    metrics['total-delete-manifests'] += now.deletes.length
    const deletesNow = await indexDeletes(this.context, now.deletes)
    const deletesBefore = await indexDeletes(this.context, before.deletes)
    const keys = [...deletesNow.equalityIds, ...deletesBefore.equalityIds]
    const id = this.snapshot.snapshotId

    const ownManifests = now.data.filter((m) => m.addedSnapshotId === undefined || m.addedSnapshotId === id)
    for await (const entries of dataEntries(this.context, ownManifests, changedBy(id), keys)) {
      for (const { status, file } of entries) {
        if (status === 'added') this.#add('INSERT', file, deletesNow.forDataFile(file))
        else this.#add('DELETE', file, deletesBefore.forDataFile(file))
      }
    }
    if (!samePaths(now, before)) {
      for await (const entries of dataEntries(this.context, now.data, keptBy(id), keys)) {
        for (const { file } of entries) {
          this.#compare(file, deletesBefore.forDataFile(file), deletesNow.forDataFile(file))
        }
      }
    }
    return [...this.#deleted, ...this.#inserted]
  }

  /** Rows of a file that both snapshots have: deleted since, or no longer deleted. */
  #compare(file: ContentFile, before: readonly ContentFile[], now: readonly ContentFile[]): void {
    const fresh = without(now, before)
    const withdrawn = without(before, now)
    if (fresh.length > 0) this.#add('DELETE', file, before, fresh)
    if (withdrawn.length > 0) this.#add('INSERT', file, now, withdrawn)
  }

  #add(
    type: Change['type'],
    file: ContentFile,
    deletes: readonly ContentFile[],
    onlyDeletedBy?: readonly ContentFile[],
  ): void {
    const { snapshotId } = this.snapshot
    const change: Change = { type, ordinal: this.ordinal, snapshotId }
    const list = type === 'DELETE' ? this.#deleted : this.#inserted
    list.push({ file, deletes, residual: this.context.residual(file), snapshotId, change, onlyDeletedBy })
  }

  async #parentManifests(now: SnapshotManifests): Promise<SnapshotManifests> {
    const { metadata } = this.context.request
    const id = this.snapshot.parentSnapshotId
    if (id === undefined) return { data: [], deletes: [] }
    const parent = metadata.findSnapshot(id)
    if (parent !== undefined) return snapshotManifests(this.context, parent)
    if (now.deletes.length === 0) return { data: [], deletes: [] }
    throw new LakefoldError(
      'UNKNOWN_SNAPSHOT',
      `${metadata.metadataLocation}: snapshot ${id} has expired; without it the changes of its child ` +
        `${this.snapshot.snapshotId}, which has delete files, cannot be told`,
      { context: { file: metadata.metadataLocation, snapshotId: id } },
    )
  }
}

/** Files that a snapshot added or removed. */
function changedBy(snapshotId: bigint): EntryRule {
  return {
    manifest: (manifest) => manifest.addedFilesCount !== 0 || manifest.deletedFilesCount !== 0,
    entry: (entry) => entry.status !== 'existing' && entry.snapshotId === snapshotId,
  }
}

/** Live files that a snapshot did not add. */
function keptBy(snapshotId: bigint): EntryRule {
  return {
    manifest: (manifest) => manifest.addedFilesCount !== 0 || manifest.existingFilesCount !== 0,
    entry: (entry) => entry.status === 'existing' || (entry.status === 'added' && entry.snapshotId !== snapshotId),
  }
}

/** Whether both snapshots have the same delete manifests. */
function samePaths(a: SnapshotManifests, b: SnapshotManifests): boolean {
  const paths = new Set(a.deletes.map((manifest) => manifest.path))
  return paths.size === b.deletes.length && b.deletes.every((manifest) => paths.has(manifest.path))
}

/** The files of `files` that are not among `others`; a deletion vector is told by its place in the Puffin file. */
function without(files: readonly ContentFile[], others: readonly ContentFile[]): ContentFile[] {
  const identity = (file: ContentFile) => `${file.contentOffset ?? ''}|${file.path}`
  const known = new Set(others.map(identity))
  return files.filter((file) => !known.has(identity(file)))
}
