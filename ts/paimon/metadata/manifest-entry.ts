import type { DataFileMeta } from './data-file.js'
import type { FileKind } from './record-codes.js'

/** The part of an entry that is read before its file: the same for an ADD and its DELETE. */
export interface EntryHead {
  readonly kind: FileKind
  /** The serialized partition row. Entries one after the other in the same partition share the array. */
  readonly partition: Uint8Array
  readonly bucket: number
  /** The bucket count that the file was written with; not above 0 where it is not known or not fixed. */
  readonly totalBuckets: number
}

export interface ManifestEntry extends EntryHead {
  readonly file: DataFileMeta
}

/** Which entries are wanted. What is dropped is not kept: first by the head alone, then by the file's level, then as a whole. */
export interface EntryFilter {
  readonly head?: (head: EntryHead) => boolean
  readonly level?: (level: number) => boolean
  /** The entry that it is called with is not to be kept. */
  readonly entry?: (entry: ManifestEntry) => boolean
}

/** What reading a manifest saw. */
export interface ManifestRead {
  readonly entries: readonly ManifestEntry[]
  /** Entries in the manifest, wanted or not. */
  readonly seen: number
  /** Entries that their heads and levels did not drop. */
  readonly decoded: number
}
