import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { decodeText } from '../../base/text.js'

const COMMIT_KINDS = ['APPEND', 'COMPACT', 'OVERWRITE', 'ANALYZE'] as const
export type CommitKind = (typeof COMMIT_KINDS)[number]

/** The watermark of a snapshot that has none. */
const NO_WATERMARK = -(2n ** 63n)
/** The commit identifier of batch commits. */
export const BATCH_COMMIT_IDENTIFIER = 2n ** 63n - 1n

/** A snapshot, or an entry of the separate changelog, which is the same. 64-bit numbers are exact; absent fields are undefined. */
export interface Snapshot {
  /** The format's version, 1 where the file does not say. */
  readonly version: number
  readonly uuid?: string
  readonly id: bigint
  readonly schemaId: number
  /** File names in the manifest folder. */
  readonly baseManifestList: string
  readonly baseManifestListSize?: bigint
  readonly deltaManifestList: string
  readonly deltaManifestListSize?: bigint
  /** Undefined where the commit made no changelog. */
  readonly changelogManifestList?: string
  readonly changelogManifestListSize?: bigint
  readonly indexManifest?: string
  readonly commitUser: string
  readonly commitIdentifier: bigint
  readonly writerVersion?: string
  readonly commitKind: CommitKind
  /** Milliseconds since the epoch. */
  readonly timeMillis: bigint
  /** Rows in the data files, not the rows of the table: rows of one key are not merged, deleted ones are counted. */
  readonly totalRecordCount?: bigint
  readonly deltaRecordCount?: bigint
  readonly changelogRecordCount?: bigint
  /** Undefined where there is none, {@link NO_WATERMARK} too. */
  readonly watermark?: bigint
  /** As the file has it, {@link NO_WATERMARK} too. */
  readonly storedWatermark?: bigint
  /** File name in the statistics folder. */
  readonly statistics?: string
  readonly properties?: ReadonlyMap<string, string>
  readonly nextRowId?: bigint
  readonly operation?: string
}

/** Reads a snapshot file; CORRUPT_FILE naming it, the field and the value where it is not one. Unknown fields are ignored. */
export function parseSnapshot(bytes: Uint8Array, file: string): Snapshot {
  return snapshotOf(new JsonObject(parseJson(decodeText(bytes, file), file), file))
}

/** The snapshot that a JSON object holds; also that of a tag. */
export function snapshotOf(json: JsonObject): Snapshot {
  const watermark = json.optLong('watermark')
  return defined({
    version: json.optInt('version') ?? 1,
    uuid: json.optString('uuid'),
    id: json.long('id'),
    schemaId: safe(json, 'schemaId'),
    baseManifestList: json.string('baseManifestList'),
    baseManifestListSize: json.optLong('baseManifestListSize'),
    deltaManifestList: json.string('deltaManifestList'),
    deltaManifestListSize: json.optLong('deltaManifestListSize'),
    changelogManifestList: json.optString('changelogManifestList'),
    changelogManifestListSize: json.optLong('changelogManifestListSize'),
    indexManifest: json.optString('indexManifest'),
    commitUser: json.string('commitUser'),
    commitIdentifier: json.long('commitIdentifier'),
    writerVersion: json.optString('writerVersion'),
    commitKind: commitKind(json),
    timeMillis: json.long('timeMillis'),
    totalRecordCount: json.optLong('totalRecordCount'),
    deltaRecordCount: json.optLong('deltaRecordCount'),
    changelogRecordCount: json.optLong('changelogRecordCount'),
    watermark: watermark === NO_WATERMARK ? undefined : watermark,
    storedWatermark: watermark,
    statistics: json.optString('statistics'),
    properties: json.optStringMap('properties'),
    nextRowId: json.optLong('nextRowId'),
    operation: json.optString('operation'),
  })
}

function commitKind(json: JsonObject): CommitKind {
  const kind = json.string('commitKind')
  const found = COMMIT_KINDS.find((known) => known === kind)
  return found ?? json.fail('commitKind', `must be one of ${COMMIT_KINDS.join(', ')}`, kind)
}

/** A long that is an id counted from zero, exact as a number. */
export function safe(json: JsonObject, key: string): number {
  const value = Number(json.long(key))
  return Number.isSafeInteger(value) && value >= 0 ? value : json.fail(key, 'must be an id', value)
}

/** The object without its undefined members. */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}
