import { bytes, type Codec, column, int, list, long, nullable, optional, record, text } from './record.js'
import { type MetadataSource, openRecordFile, recordsOf } from './record-file.js'
import { checkVersion } from './record-version.js'

/** Bounds of columns as the file has them: serialized rows, decoded on demand by `SimpleStats`. */
export interface RawStats {
  readonly minValues: Uint8Array
  readonly maxValues: Uint8Array
  /** Undefined where not known. */
  readonly nullCounts: readonly (bigint | undefined)[] | undefined
}

export const RAW_STATS_COLUMNS = {
  minValues: column('_MIN_VALUES', bytes),
  maxValues: column('_MAX_VALUES', bytes),
  nullCounts: optional('_NULL_COUNTS', list(nullable(long))),
} as const

export const rawStats: Codec<RawStats> = record(RAW_STATS_COLUMNS)

/** An entry of a manifest list: a manifest and what it holds. A field that is undefined is not known. */
export interface ManifestMeta {
  readonly version: number
  /** Name in the manifest folder. */
  readonly fileName: string
  readonly fileSize: bigint
  readonly numAddedFiles: bigint
  readonly numDeletedFiles: bigint
  /** Over the partition columns. */
  readonly partitionStats: RawStats | undefined
  readonly schemaId: bigint
  readonly minBucket: number | undefined
  readonly maxBucket: number | undefined
  readonly minLevel: number | undefined
  readonly maxLevel: number | undefined
  readonly minRowId: bigint | undefined
  readonly maxRowId: bigint | undefined
  /** Only where all entries have the same, positive one. */
  readonly totalBuckets: number | undefined
  readonly extraFiles: readonly string[] | undefined
}

const manifestMeta: Codec<ManifestMeta> = record({
  version: column('_VERSION', int),
  fileName: column('_FILE_NAME', text),
  fileSize: column('_FILE_SIZE', long),
  numAddedFiles: column('_NUM_ADDED_FILES', long),
  numDeletedFiles: column('_NUM_DELETED_FILES', long),
  partitionStats: optional('_PARTITION_STATS', rawStats),
  schemaId: column('_SCHEMA_ID', long),
  minBucket: optional('_MIN_BUCKET', int),
  maxBucket: optional('_MAX_BUCKET', int),
  minLevel: optional('_MIN_LEVEL', int),
  maxLevel: optional('_MAX_LEVEL', int),
  minRowId: optional('_MIN_ROW_ID', long),
  maxRowId: optional('_MAX_ROW_ID', long),
  totalBuckets: optional('_TOTAL_BUCKETS', int),
  extraFiles: optional('_EXTRA_FILES', list(text)),
})

/** Reads a manifest list by its location. Errors name the file: FILE_NOT_FOUND, CORRUPT_FILE, UNSUPPORTED (another version). */
export async function readManifestList(source: MetadataSource, file: string): Promise<readonly ManifestMeta[]> {
  const metas = recordsOf(await openRecordFile(source, file), manifestMeta)
  for (const meta of metas) checkVersion(meta.version, 2, file)
  return metas
}
