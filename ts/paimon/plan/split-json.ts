import { LakefoldError } from '../../base/errors.js'
import { parseJson, stringifyJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import type { JsonValue } from '../../types/types.js'
import { fromHex, toHex } from '../../types/utf8.js'
import { decodeRow } from '../metadata/binary-row.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import type { RawStats } from '../metadata/manifest-list.js'
import type { TableSchema } from '../metadata/schema.js'
import { defined } from '../metadata/snapshot.js'
import { DataSplit, type DeletionFile } from './data-split.js'

const VERSION = 1

/** A split as JSON text, to be read on another machine: {@link splitFromJson}. 64-bit integers are exact, bytes are hex. */
export function splitToJson(split: DataSplit): string {
  return stringifyJson({
    version: VERSION,
    'snapshot-id': split.snapshotId,
    partition: toHex(split.partition),
    bucket: split.bucket,
    'bucket-path': split.bucketPath,
    'total-buckets': split.totalBuckets ?? null,
    'data-files': split.dataFiles.map(fileJson),
    'deletion-files': vectorsJson(split.deletionFiles),
    'before-files': split.beforeFiles?.map(fileJson) ?? null,
    'before-deletion-files': vectorsJson(split.beforeDeletionFiles),
    'is-streaming': split.isStreaming,
    'raw-convertible': split.rawConvertible,
    'row-ranges': split.rowRanges?.map(({ from, to }) => [from, to]) ?? null,
    branch: split.branch,
  })
}

/** Reads what {@link splitToJson} wrote, for a table of this schema; CORRUPT_FILE naming the field, UNSUPPORTED for another version. */
export function splitFromJson(text: string, schema: TableSchema): DataSplit {
  const json = new JsonObject(parseJson(text, 'split'), 'split')
  const version = json.int('version')
  if (version !== VERSION) {
    throw new LakefoldError('UNSUPPORTED', `split version ${version}; this build reads version ${VERSION}`, {
      context: { field: 'version', value: version },
    })
  }
  const partition = hex(json, 'partition')
  const types = schema.partitionFields.map((field) => field.type)
  const ranges = json.optList('row-ranges')?.map((pair) => {
    const [from, to] = Array.isArray(pair) ? pair : json.fail('row-ranges', 'must be pairs', pair)
    return { from: BigInt(from as number), to: BigInt(to as number) }
  })
  return new DataSplit({
    snapshotId: json.long('snapshot-id'),
    partition,
    partitionValues: decodeRow(partition, types, { file: 'split', field: 'partition' }),
    bucket: json.int('bucket'),
    bucketPath: json.string('bucket-path'),
    totalBuckets: json.optInt('total-buckets'),
    dataFiles: json.objects('data-files').map(fileOf),
    deletionFiles: vectorsOf(json, 'deletion-files'),
    beforeFiles: json.optObjects('before-files')?.map(fileOf),
    beforeDeletionFiles: vectorsOf(json, 'before-deletion-files'),
    isStreaming: json.get('is-streaming') === true,
    rawConvertible: json.get('raw-convertible') === true,
    rowRanges: ranges,
    branch: json.string('branch'),
  })
}

function fileJson(file: DataFileMeta): JsonValue {
  return defined({
    'file-name': file.fileName,
    'file-size': file.fileSize,
    'row-count': file.rowCount,
    'min-key': toHex(file.minKey),
    'max-key': toHex(file.maxKey),
    'key-stats': statsJson(file.keyStats),
    'value-stats': statsJson(file.valueStats),
    'min-sequence-number': file.minSequenceNumber,
    'max-sequence-number': file.maxSequenceNumber,
    'schema-id': file.schemaId,
    level: file.level,
    'extra-files': file.extraFiles,
    'creation-time': file.creationTime,
    'delete-row-count': file.deleteRowCount,
    'embedded-file-index': file.embeddedFileIndex === undefined ? undefined : toHex(file.embeddedFileIndex),
    'file-source': file.fileSource,
    'value-stats-cols': file.valueStatsCols,
    'external-path': file.externalPath,
    'first-row-id': file.firstRowId,
    'write-cols': file.writeCols,
    'write-cols-sequences': file.writeColsSequences,
  }) as JsonValue
}

function fileOf(json: JsonObject): DataFileMeta {
  const source = json.optString('file-source')
  if (source !== undefined && source !== 'APPEND' && source !== 'COMPACT') {
    return json.fail('file-source', 'must be APPEND or COMPACT', source)
  }
  return {
    fileName: json.string('file-name'),
    fileSize: json.long('file-size'),
    rowCount: json.long('row-count'),
    minKey: hex(json, 'min-key'),
    maxKey: hex(json, 'max-key'),
    keyStats: statsOf(json, 'key-stats'),
    valueStats: statsOf(json, 'value-stats'),
    minSequenceNumber: json.long('min-sequence-number'),
    maxSequenceNumber: json.long('max-sequence-number'),
    schemaId: json.int('schema-id'),
    level: json.int('level'),
    extraFiles: json.optStrings('extra-files') ?? [],
    creationTime: json.optLong('creation-time'),
    deleteRowCount: json.optLong('delete-row-count'),
    embeddedFileIndex: json.has('embedded-file-index') ? hex(json, 'embedded-file-index') : undefined,
    fileSource: source,
    valueStatsCols: json.optStrings('value-stats-cols'),
    externalPath: json.optString('external-path'),
    firstRowId: json.optLong('first-row-id'),
    writeCols: json.optStrings('write-cols'),
    writeColsSequences: json.optList('write-cols-sequences')?.map((value) => BigInt(value as number)),
  }
}

function statsJson({ minValues, maxValues, nullCounts }: RawStats): JsonValue {
  return { min: toHex(minValues), max: toHex(maxValues), nulls: nullCounts?.map((count) => count ?? null) ?? null }
}

function statsOf(parent: JsonObject, key: string): RawStats {
  const json = parent.optObject(key) ?? parent.fail(key, 'is missing', undefined)
  const nulls = json.optList('nulls')
  return {
    minValues: hex(json, 'min'),
    maxValues: hex(json, 'max'),
    nullCounts: nulls?.map((count) => (count === null ? undefined : BigInt(count as number))),
  }
}

function vectorsJson(files: readonly (DeletionFile | undefined)[] | undefined): JsonValue {
  return files?.map((file) => (file === undefined ? null : { ...file, cardinality: file.cardinality ?? null })) ?? null
}

function vectorsOf(json: JsonObject, key: string): (DeletionFile | undefined)[] | undefined {
  return json.optList(key)?.map((value, i) => {
    if (value === null) return undefined
    const file = new JsonObject(value, 'split', `${key}[${i}]`)
    const cardinality = file.optLong('cardinality')
    return { path: file.string('path'), offset: file.int('offset'), length: file.int('length'), cardinality }
  })
}

function hex(json: JsonObject, key: string): Uint8Array {
  const text = json.string(key)
  return fromHex(text) ?? json.fail(key, 'must be hex', text)
}
