import { readAvroManifest } from './avro-manifest.js'
import { dataFileMeta } from './data-file.js'
import type { EntryFilter, ManifestRead } from './manifest-entry.js'
import { bytes, column, int, record } from './record.js'
import { fileKind } from './record-codes.js'
import { type MetadataSource, openRecordFile, recordsOf } from './record-file.js'
import { checkVersion } from './record-version.js'

const entryRow = record({
  version: column('_VERSION', int),
  kind: column('_KIND', int),
  partition: column('_PARTITION', bytes),
  bucket: column('_BUCKET', int),
  totalBuckets: column('_TOTAL_BUCKETS', int),
  file: column('_FILE', dataFileMeta),
})

/**
 * Reads a manifest by its location: its entries in order that pass the filter. Errors name the file: FILE_NOT_FOUND, CORRUPT_FILE,
 * UNSUPPORTED (another version or an unknown codec).
 */
export async function readManifest(
  source: MetadataSource,
  file: string,
  filter: EntryFilter = {},
): Promise<ManifestRead> {
  const opened = await openRecordFile(source, file)
  if (opened.kind === 'avro') return readAvroManifest(opened.container, filter, source.signal)
  const rows = recordsOf(opened, entryRow).map(({ version, kind, ...entry }) => {
    checkVersion(version, 2, file)
    return { ...entry, kind: fileKind(kind, { file, field: '_KIND' }) }
  })
  const decoded = rows.filter((entry) => filter.head?.(entry) !== false && filter.level?.(entry.file.level) !== false)
  const entries = filter.entry === undefined ? decoded : decoded.filter(filter.entry)
  return { entries, seen: rows.length, decoded: decoded.length }
}
