import type { FileIO } from '../../io/file-io.js'
import type { LoadedEntry, ManifestCache } from '../manifest/cache.js'
import type { StatsFieldIds } from '../manifest/entry-schema.js'
import { readManifestList } from '../manifest/list.js'
import { readManifest } from '../manifest/read.js'
import type { ManifestFile } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'

export interface InspectOptions {
  /** Which snapshot to look at; the current one by default. */
  snapshotId?: bigint
  cache?: ManifestCache
  signal?: AbortSignal
}

/** The manifests of the snapshot in the order of its list; none for a table that has no snapshot. */
export async function manifestsOf(
  metadata: TableMetadata,
  io: FileIO,
  options: InspectOptions,
): Promise<readonly ManifestFile[]> {
  const { snapshotId } = options
  const snapshot = snapshotId === undefined ? metadata.currentSnapshot() : metadata.snapshotById(snapshotId)
  return snapshot === undefined ? [] : readManifestList(io, snapshot, metadata, options)
}

/** All entries of the snapshot's manifests, deleted ones too, a manifest at a time. */
export async function* entriesOf(
  metadata: TableMetadata,
  io: FileIO,
  statsFieldIds: StatsFieldIds,
  options: InspectOptions,
): AsyncGenerator<LoadedEntry> {
  for (const manifest of await manifestsOf(metadata, io, options)) {
    const { entries } = await readManifest(io, manifest, metadata, { ...options, statsFieldIds })
    yield* entries
  }
}
