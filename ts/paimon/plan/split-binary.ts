import { LakefoldError } from '../../base/errors.js'
import { decodeRow } from '../metadata/binary-row.js'
import { serializeRow } from '../metadata/binary-row-writer.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import type { Datum } from '../metadata/datum.js'
import type { RawStats } from '../metadata/manifest-list.js'
import type { TableSchema } from '../metadata/schema.js'
import { MAX_LENGTH, type PaimonType } from '../metadata/types.js'
import { DataSplit, type DeletionFile } from './data-split.js'
import { JavaReader, JavaWriter } from './split-bytes.js'

/** Before the version of a split's bytes. */
const MAGIC = -2394839472490812314n
const VERSION = 9

const of = (kind: 'int' | 'bigint'): PaimonType => ({ kind, nullable: true })
const TEXT: PaimonType = { kind: 'varchar', nullable: true, length: MAX_LENGTH }
const BYTES: PaimonType = { kind: 'varbinary', nullable: true, length: MAX_LENGTH }
const list = (element: PaimonType): PaimonType => ({ kind: 'array', nullable: true, element })
const STATS: PaimonType = {
  kind: 'row',
  nullable: true,
  fields: [BYTES, BYTES, list(of('bigint'))].map((type, id) => ({ id, name: `${id}`, type })),
}
/** The columns of a data file's row, in the order of the format's newest version. */
const FILE: readonly PaimonType[] = [
  TEXT,
  of('bigint'),
  of('bigint'),
  BYTES,
  BYTES,
  STATS,
  STATS,
  of('bigint'),
  of('bigint'),
  of('bigint'),
  of('int'),
  list(TEXT),
  { kind: 'timestamp', nullable: true, precision: 3 },
  of('bigint'),
  BYTES,
  { kind: 'tinyint', nullable: true },
  list(TEXT),
  TEXT,
  of('bigint'),
  list(TEXT),
]

/** A split in the binary form of Java and C++, protocol version 9. UNSUPPORTED for what that form cannot hold: differences, row ranges. */
export function serializeSplit(split: DataSplit): Uint8Array {
  if (split.beforeFiles !== undefined || split.rowRanges !== undefined) {
    throw new LakefoldError('UNSUPPORTED', 'Splits of differences or row ranges have no binary form: use JSON', {
      context: { file: split.bucketPath },
    })
  }
  const out = new JavaWriter()
  out.long(MAGIC)
  out.int(VERSION)
  out.long(split.snapshotId)
  out.sized(split.partition)
  out.int(split.bucket)
  out.utf(split.bucketPath)
  out.bool(split.totalBuckets !== undefined)
  if (split.totalBuckets !== undefined) out.int(split.totalBuckets)
  // No files of a state before, and no vectors for them.
  out.int(0)
  out.byte(0)
  out.int(split.dataFiles.length)
  for (const file of split.dataFiles) out.sized(serializeRow(FILE, fileValues(file)).subarray(4))
  writeVectors(out, split.deletionFiles)
  out.bool(split.isStreaming)
  out.bool(split.rawConvertible)
  return out.finish()
}

/** Reads what {@link serializeSplit} or Java wrote, for a table of this schema; CORRUPT_FILE for broken bytes, UNSUPPORTED for another version. */
export function deserializeSplit(bytes: Uint8Array, schema: TableSchema): DataSplit {
  const input = new JavaReader(bytes)
  if (input.long() !== MAGIC) input.fail('no mark of a split')
  const version = input.int()
  if (version !== VERSION) {
    throw new LakefoldError('UNSUPPORTED', `split version ${version}; this build reads version ${VERSION}`, {
      context: { field: 'version', value: version },
    })
  }
  const snapshotId = input.long()
  const partition = input.sized()
  const bucket = input.int()
  const bucketPath = input.utf()
  const totalBuckets = input.bool() ? input.int() : undefined
  if (input.int() !== 0 || readVectors(input) !== undefined) {
    throw new LakefoldError('UNSUPPORTED', 'a split with files of a state before cannot be read', {
      context: { field: 'beforeFiles' },
    })
  }
  const count = input.int()
  if (count < 0 || count > input.left / 4) input.fail(`${count} data files`)
  const dataFiles = Array.from({ length: count }, () => fileOf(input))
  const deletionFiles = readVectors(input)
  const [isStreaming, rawConvertible] = [input.bool(), input.bool()]
  const types = schema.partitionFields.map((field) => field.type)
  const partitionValues = decodeRow(partition, types, { file: 'split', field: 'partition' })
  return new DataSplit({
    snapshotId,
    partition,
    partitionValues,
    bucket,
    bucketPath,
    totalBuckets,
    dataFiles,
    deletionFiles,
    isStreaming,
    rawConvertible,
  })
}

function fileValues(file: DataFileMeta): readonly Datum[] {
  return [
    file.fileName,
    file.fileSize,
    file.rowCount,
    file.minKey,
    file.maxKey,
    statsValues(file.keyStats),
    statsValues(file.valueStats),
    file.minSequenceNumber,
    file.maxSequenceNumber,
    BigInt(file.schemaId),
    file.level,
    file.extraFiles,
    file.creationTime === undefined ? null : file.creationTime * 1000n,
    file.deleteRowCount ?? null,
    file.embeddedFileIndex ?? null,
    file.fileSource === undefined ? null : file.fileSource === 'APPEND' ? 0 : 1,
    file.valueStatsCols ?? null,
    file.externalPath ?? null,
    file.firstRowId ?? null,
    file.writeCols ?? null,
  ]
}

function statsValues({ minValues, maxValues, nullCounts }: RawStats): readonly Datum[] {
  return [minValues, maxValues, nullCounts?.map((count) => count ?? null) ?? null]
}

function fileOf(input: JavaReader): DataFileMeta {
  const image = input.sized()
  const row = new Uint8Array(4 + image.length)
  new DataView(row.buffer).setInt32(0, FILE.length)
  row.set(image, 4)
  const values = decodeRow(row, FILE, { file: 'split', field: 'data file' })
  const at = <T extends Datum>(index: number): T => {
    const value = values[index]
    return value === null || value === undefined ? input.fail(`column ${index} of a data file is null`) : (value as T)
  }
  const maybe = <T extends Datum>(index: number): T | undefined => (values[index] as T | null) ?? undefined
  const created = maybe<bigint>(12)
  const source = maybe<number>(15)
  return {
    fileName: at<string>(0),
    fileSize: at<bigint>(1),
    rowCount: at<bigint>(2),
    minKey: at<Uint8Array>(3),
    maxKey: at<Uint8Array>(4),
    keyStats: statsOf(at<readonly Datum[]>(5)),
    valueStats: statsOf(at<readonly Datum[]>(6)),
    minSequenceNumber: at<bigint>(7),
    maxSequenceNumber: at<bigint>(8),
    schemaId: Number(at<bigint>(9)),
    level: at<number>(10),
    extraFiles: at<readonly string[]>(11),
    creationTime: created === undefined ? undefined : created / 1000n,
    deleteRowCount: maybe<bigint>(13),
    embeddedFileIndex: maybe<Uint8Array>(14),
    fileSource: source === undefined ? undefined : source === 0 ? 'APPEND' : 'COMPACT',
    valueStatsCols: maybe<readonly string[]>(16),
    externalPath: maybe<string>(17),
    firstRowId: maybe<bigint>(18),
    writeCols: maybe<readonly string[]>(19),
    writeColsSequences: undefined,
  }
}

function statsOf([minValues, maxValues, nulls]: readonly Datum[]): RawStats {
  return {
    minValues: (minValues ?? new Uint8Array(0)) as Uint8Array,
    maxValues: (maxValues ?? new Uint8Array(0)) as Uint8Array,
    nullCounts: (nulls as readonly (bigint | null)[] | null)?.map((count) => count ?? undefined),
  }
}

function writeVectors(out: JavaWriter, files: readonly (DeletionFile | undefined)[] | undefined): void {
  out.bool(files !== undefined)
  if (files === undefined) return
  out.int(files.length)
  for (const file of files) {
    out.bool(file !== undefined)
    if (file === undefined) continue
    out.utf(file.path)
    out.long(BigInt(file.offset))
    out.long(BigInt(file.length))
    out.long(file.cardinality ?? -1n)
  }
}

function readVectors(input: JavaReader): (DeletionFile | undefined)[] | undefined {
  if (!input.bool()) return undefined
  const count = input.int()
  if (count < 0 || count > input.left) input.fail(`${count} deletion files`)
  return Array.from({ length: count }, () => {
    if (!input.bool()) return undefined
    const [path, offset, length, cardinality] = [input.utf(), input.long(), input.long(), input.long()]
    return {
      path,
      offset: Number(offset),
      length: Number(length),
      cardinality: cardinality < 0n ? undefined : cardinality,
    }
  })
}
