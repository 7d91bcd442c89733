import { placedError } from './errors.js'
import { bytes, type Codec, column, int, list, long, nullable, optional, record, text } from './record.js'
import { type MetadataSource, openRecordFile, recordsOf } from './record-file.js'
import { checkVersion } from './record-version.js'

/** The type of index files with deletion vectors. */
export const DELETION_VECTORS = 'DELETION_VECTORS'

/** Where the deletion vector of one data file lies in its index file. */
export interface DeletionVectorRange {
  readonly dataFileName: string
  readonly offset: number
  /** Of a 32-bit vector without the words around it, of a 64-bit one with them. */
  readonly length: number
  /** Rows deleted; undefined where not known. */
  readonly cardinality: bigint | undefined
}

/** What a global index file covers. */
export interface GlobalIndexMeta {
  /** Row ids, both inclusive. */
  readonly rowRangeStart: bigint
  readonly rowRangeEnd: bigint
  readonly indexFieldId: number
  readonly extraFieldIds: readonly number[] | undefined
  readonly indexMeta: Uint8Array | undefined
  readonly sourceMeta: Uint8Array | undefined
}

/** An index file of the table. */
export interface IndexEntry {
  readonly kind: 'ADD' | 'DELETE'
  /** The serialized partition row. */
  readonly partition: Uint8Array
  readonly bucket: number
  readonly indexType: string
  readonly fileName: string
  readonly fileSize: bigint
  readonly rowCount: bigint
  /** Undefined in files that are not of deletion vectors. */
  readonly dvRanges: readonly DeletionVectorRange[] | undefined
  readonly externalPath: string | undefined
  readonly globalIndex: GlobalIndexMeta | undefined
}

const dvRange: Codec<DeletionVectorRange> = record({
  dataFileName: column('f0', text),
  offset: column('f1', int),
  length: column('f2', int),
  cardinality: optional('_CARDINALITY', long),
})

const globalIndex: Codec<GlobalIndexMeta> = record({
  rowRangeStart: column('_ROW_RANGE_START', long),
  rowRangeEnd: column('_ROW_RANGE_END', long),
  indexFieldId: column('_INDEX_FIELD_ID', int),
  extraFieldIds: optional('_EXTRA_FIELD_IDS', list(int)),
  indexMeta: optional('_INDEX_META', bytes),
  sourceMeta: optional('_SOURCE_META', bytes),
})

const indexEntry = record({
  version: column('_VERSION', int),
  kind: column('_KIND', int),
  partition: column('_PARTITION', bytes),
  bucket: column('_BUCKET', int),
  indexType: column('_INDEX_TYPE', text),
  fileName: column('_FILE_NAME', text),
  fileSize: column('_FILE_SIZE', long),
  rowCount: column('_ROW_COUNT', long),
  dvRanges: optional('_DELETIONS_VECTORS_RANGES', list(nullable(dvRange))),
  externalPath: optional('_EXTERNAL_PATH', text),
  globalIndex: optional('_GLOBAL_INDEX', globalIndex),
})

/**
 * Reads an index manifest by its location: all index files of a snapshot. Errors name the file: FILE_NOT_FOUND (then deleted rows
 * cannot be told), CORRUPT_FILE, UNSUPPORTED (another version).
 */
export async function readIndexManifest(source: MetadataSource, file: string): Promise<readonly IndexEntry[]> {
  const records = recordsOf(await openRecordFile(source, file), indexEntry)
  return records.map(({ version, kind, dvRanges, ...entry }) => {
    checkVersion(version, 1, file)
    if (kind !== 0 && kind !== 1) {
      throw placedError('CORRUPT_FILE', { file, field: '_KIND' }, `is ${kind}, which is no kind of entry`, kind)
    }
    const ranges = dvRanges?.filter((range) => range !== undefined)
    for (const range of ranges ?? []) {
      if (range.offset < 0 || range.length < 0) {
        const place = { file, field: '_DELETIONS_VECTORS_RANGES' }
        const what = `puts the vector of ${range.dataFileName} at ${range.offset}, length ${range.length}`
        throw placedError('CORRUPT_FILE', place, what, range.offset)
      }
    }
    return { ...entry, kind: kind === 0 ? 'ADD' : 'DELETE', dvRanges: ranges }
  })
}
