import type { DataFileMeta } from '../metadata/data-file.js'
import type { FileKind } from '../metadata/record-codes.js'
import type { Partition } from './partitions.js'

/** A data file of a table as an entry of a manifest tells it. */
export interface FileEntry {
  readonly kind: FileKind
  readonly partition: Partition
  readonly bucket: number
  readonly totalBuckets: number
  readonly file: DataFileMeta
  /** The manifest, for errors. */
  readonly manifest: string
}

/** What tells an entry from others: the same for an ADD and its DELETE. */
export function entryKey({ partition, bucket, file }: FileEntry): string {
  const { fileName, level, extraFiles, externalPath, embeddedFileIndex } = file
  let key = `${fileName}\0${level}\0${bucket}\0${partition.key}`
  if (extraFiles.length > 0) key += `\0${extraFiles.join('\0')}`
  if (externalPath !== undefined) key += `\0\0${externalPath}`
  if (embeddedFileIndex !== undefined) key += `\0\0\0${Buffer.from(embeddedFileIndex).toString('base64')}`
  return key
}

/** The files that are there: those added without the ones deleted, whatever the order of entries. */
export function mergeEntries(entries: readonly FileEntry[]): readonly FileEntry[] {
  const deleted = new Set<string>()
  // Names alone tell nearly all files that stay from those that are deleted.
  const names = new Set<string>()
  for (const entry of entries) {
    if (entry.kind !== 'DELETE') continue
    deleted.add(entryKey(entry))
    names.add(entry.file.fileName)
  }
  if (deleted.size === 0) return entries
  return entries.filter(
    (entry) => entry.kind === 'ADD' && !(names.has(entry.file.fileName) && deleted.has(entryKey(entry))),
  )
}
