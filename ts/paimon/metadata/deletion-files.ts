import { DELETION_VECTORS, type IndexEntry } from './index-manifest.js'

/** Where the deletion vector of a data file is. */
export interface DeletionFile {
  /** Location of the index file. */
  readonly path: string
  readonly offset: number
  /** Of a 32-bit vector without the size and checksum around it, of a 64-bit one with them. */
  readonly length: number
  /** Rows deleted; undefined where not known. */
  readonly cardinality: bigint | undefined
}

/** The deletion vectors of a snapshot, found by partition, bucket and data file. */
export class DeletionFiles {
  private readonly buckets = new Map<string, Map<string, DeletionFile>>()

  /** `entries` are those of the snapshot's index manifest, `locate` tells where an index file is. */
  constructor(entries: readonly IndexEntry[], locate: (entry: IndexEntry) => string) {
    for (const entry of entries) {
      if (entry.indexType !== DELETION_VECTORS || entry.kind !== 'ADD') continue
      const key = bucketKey(entry.partition, entry.bucket)
      const files = this.buckets.get(key) ?? new Map<string, DeletionFile>()
      this.buckets.set(key, files)
      const path = locate(entry)
      for (const { dataFileName, offset, length, cardinality } of entry.dvRanges ?? []) {
        files.set(dataFileName, { path, offset, length, cardinality })
      }
    }
  }

  /** The vector of a data file; undefined where none of its rows is deleted. `partition` is the serialized row. */
  find(partition: Uint8Array, bucket: number, fileName: string): DeletionFile | undefined {
    return this.buckets.get(bucketKey(partition, bucket))?.get(fileName)
  }
}

function bucketKey(partition: Uint8Array, bucket: number): string {
  return `${bucket}/${Buffer.from(partition.buffer, partition.byteOffset, partition.byteLength).toString('latin1')}`
}
