import { throwIfAborted } from '../../base/abort.js'
import { readAhead } from '../../base/read-ahead.js'
import type { LoadedManifest } from '../manifest/cache.js'
import { readManifestList } from '../manifest/list.js'
import { readManifest } from '../manifest/read.js'
import type { ContentFile, ManifestEntry, ManifestFile } from '../manifest/types.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { DeleteIndex } from './delete-index.js'
import type { PlanContext } from './plan-context.js'
import { ListPrune } from './prune-lists.js'

/** The manifests of a snapshot by content, in list order. */
export interface SnapshotManifests {
  readonly data: readonly ManifestFile[]
  readonly deletes: readonly ManifestFile[]
}

/** Reads the manifest list of a snapshot. */
export async function snapshotManifests(context: PlanContext, snapshot: Snapshot): Promise<SnapshotManifests> {
  const { io, metadata, signal } = context.request
  const manifests = await readManifestList(io, snapshot, metadata, { signal })
  return {
    data: manifests.filter((manifest) => manifest.content === 'data'),
    deletes: manifests.filter((manifest) => manifest.content === 'deletes'),
  }
}

/** Which entries of data manifests are wanted, before the filter. */
export interface EntryRule {
  /** Manifests that cannot hold a wanted entry are not read. */
  readonly manifest: (manifest: ManifestFile) => boolean
  readonly entry: (entry: ManifestEntry) => boolean
}

/** Entries of files that are not deleted. */
export const LIVE: EntryRule = {
  manifest: ListPrune.hasLiveFiles,
  entry: (entry) => entry.status !== 'deleted',
}

/** How many entries are looked at before those found are handed on: a step of an async generator costs more than an entry. */
const ENTRIES_A_STEP = 1024

/**
 * The wanted entries of data manifests that the filter does not rule out, in plan order, some at a time. Manifests are read a few at a
 * time; leaving the loop stops reading.
 *
 * @param equalityIds columns of equality keys, whose metrics are needed too
 */
export async function* dataEntries(
  context: PlanContext,
  manifests: readonly ManifestFile[],
  rule: EntryRule,
  equalityIds: Iterable<number> = [],
): AsyncGenerator<ManifestEntry[]> {
  const { io, metadata, cache, signal, trace } = context.request
  const wanted = manifests.filter((manifest) => {
    if (context.lists.keeps(manifest) && rule.manifest(manifest)) return true
    trace.drop('manifest-list', 'data-manifest', manifest.path, () => context.lists.why(manifest))
    return false
  })
  const statsFieldIds = context.statistics(equalityIds)
  const read = (manifest: ManifestFile, stop: AbortSignal) => {
    trace.metrics['scanned-data-manifests']++
    return readManifest(io, manifest, metadata, { statsFieldIds, cache, signal: stop })
  }
  for await (const manifest of readAhead(wanted, context.width, read, signal)) {
    for (let start = 0; start < manifest.length; start += ENTRIES_A_STEP) {
      throwIfAborted(signal)
      const found = keptEntries(context, manifest, rule, start, Math.min(manifest.length, start + ENTRIES_A_STEP))
      if (found.length > 0) yield found
    }
  }
}

/** Entries of a manifest that are wanted and not ruled out. */
function keptEntries(
  context: PlanContext,
  manifest: LoadedManifest,
  rule: EntryRule,
  start: number,
  end: number,
): ManifestEntry[] {
  const { trace } = context.request
  const kept: ManifestEntry[] = []
  for (let i = start; i < end; i++) {
    const entry = manifest.entry(i)
    if (!rule.entry(entry)) continue
    const { file } = entry
    const stage = context.files.drops(file)
    if (stage === undefined) kept.push(entry)
    else trace.drop(stage, 'data-file', file.path, () => context.files.why(file, stage))
  }
  return kept
}

/** Reads the delete manifests of a snapshot that may matter to the filter, and indexes what they hold. */
export async function indexDeletes(context: PlanContext, manifests: readonly ManifestFile[]): Promise<DeleteIndex> {
  const { io, metadata, cache, signal, trace } = context.request
  const wanted = manifests.filter((manifest) => {
    if (ListPrune.hasLiveFiles(manifest) && context.lists.keeps(manifest)) return true
    trace.drop('manifest-list', 'delete-manifest', manifest.path, () => context.lists.why(manifest))
    return false
  })
  const read = (manifest: ManifestFile, stop: AbortSignal) => {
    trace.metrics['scanned-delete-manifests']++
    return readManifest(io, manifest, metadata, { statsFieldIds: 'all', cache, signal: stop })
  }
  const files: ContentFile[] = []
  for await (const { entries } of readAhead(wanted, context.width, read, signal)) {
    for (const { status, file } of entries) {
      if (status === 'deleted') continue
      const stage = context.files.drops(file)
      if (stage === undefined) files.push(file)
      else trace.drop(stage, 'delete-file', file.path, () => context.files.why(file, stage))
    }
  }
  for (const file of files) {
    trace.metrics['indexed-delete-files']++
    if (file.content === 'equality-deletes') trace.metrics['equality-delete-files']++
    else if (file.format === 'puffin') trace.metrics.dvs++
    else trace.metrics['positional-delete-files']++
  }
  return new DeleteIndex({ specs: context.specs, keyColumns: context.keyColumns }, files)
}
