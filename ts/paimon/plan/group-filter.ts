import type { DataFileMeta } from '../metadata/data-file.js'
import { valueStats } from '../metadata/simple-stats.js'
import { isBlob, rowIdGroups } from './data-evolution.js'
import { evolved, type FileSchemas, trusted } from './file-stats.js'
import type { FileEntry } from './live-entry.js'
import type { Predicate } from './predicate.js'
import { type StatsSubject, statsTest } from './stats-test.js'

/** Drops groups of files with the same row ids by what is known of their columns, each from the newest file that has it. */
export function filterGroups(
  entries: readonly FileEntry[],
  predicate: Predicate,
  schemas: FileSchemas,
): readonly FileEntry[] {
  const test = statsTest(predicate)
  const byBucket = new Map<string, Map<DataFileMeta, FileEntry>>()
  for (const entry of entries) {
    const key = `${entry.bucket}\0${entry.partition.key}`
    const files = byBucket.get(key) ?? new Map<DataFileMeta, FileEntry>()
    byBucket.set(key, files.set(entry.file, entry))
  }
  const kept = new Set<FileEntry>()
  for (const files of byBucket.values()) {
    for (const group of rowIdGroups([...files.keys()])) {
      const members = group.map((file) => files.get(file) as FileEntry)
      if (test(groupStats(members, schemas))) for (const member of members) kept.add(member)
    }
  }
  return entries.filter((entry) => kept.has(entry))
}

function groupStats(group: readonly FileEntry[], schemas: FileSchemas): StatsSubject {
  const whole = group.filter(({ file }) => !isBlob(file))
  const rowCount = whole.reduce((most, { file }) => (file.rowCount > most ? file.rowCount : most), 0n)
  const unknown = { min: undefined, max: undefined, nullCount: undefined }
  return {
    rowCount,
    column(id) {
      const wanted = schemas.current.fieldById(id)
      const holders = whole.filter((entry) => columnOf(entry.file, id, schemas) !== undefined)
      if (wanted === undefined || whole.length < group.length) return unknown
      if (holders.length === 0) return { min: undefined, max: undefined, nullCount: rowCount }
      const newest = holders.reduce((a, b) => (b.file.maxSequenceNumber > a.file.maxSequenceNumber ? b : a))
      const rivals = holders.filter(({ file }) => file.maxSequenceNumber === newest.file.maxSequenceNumber)
      // Only one file that has the column for all rows of the group speaks for them.
      if (rivals.length > 1 || newest.file.rowCount !== rowCount) return unknown
      const found = columnOf(newest.file, id, schemas)
      if (found === undefined) return unknown
      const stats = valueStats(newest.file, schemas.of(newest.file.schemaId), newest.manifest).column(id)
      return trusted(newest.file, wanted.type, evolved(stats, found, wanted))
    },
  }
}

/** The column as the file has it; undefined where it does not. */
export function columnOf(file: DataFileMeta, id: number, schemas: FileSchemas) {
  const field = schemas.of(file.schemaId).fieldById(id)
  return field !== undefined && (file.writeCols === undefined || file.writeCols.includes(field.name))
    ? field
    : undefined
}
