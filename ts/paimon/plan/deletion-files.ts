import { DELETION_VECTORS, readIndexManifest } from '../metadata/index-manifest.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { DeletionFile } from './data-split.js'
import type { Partition } from './partitions.js'
import type { TableView } from './table-view.js'

/** The deletion vector of a data file of a bucket, if it has one. */
export type DeletionLookup = (partition: Partition, bucket: number, fileName: string) => DeletionFile | undefined

/** Reads which data files of a snapshot have deletion vectors. */
export async function deletionFiles(
  view: TableView,
  snapshot: Snapshot,
  signal: AbortSignal | undefined,
): Promise<DeletionLookup> {
  if (snapshot.indexManifest === undefined) return () => undefined
  const manifest = view.paths.manifest(snapshot.indexManifest)
  const found = new Map<string, DeletionFile>()
  for (const entry of await readIndexManifest(view.source(signal), manifest)) {
    if (entry.indexType !== DELETION_VECTORS || entry.kind === 'DELETE') continue
    const partition = view.partitions.of(entry.partition, manifest)
    const path = view.files.indexFile(entry, partition.values)
    for (const { dataFileName, offset, length, cardinality } of entry.dvRanges ?? []) {
      found.set(place(partition, entry.bucket, dataFileName), { path, offset, length, cardinality })
    }
  }
  return (partition, bucket, fileName) => found.get(place(partition, bucket, fileName))
}

function place(partition: Partition, bucket: number, fileName: string): string {
  return `${fileName}\0${bucket}\0${partition.key}`
}
