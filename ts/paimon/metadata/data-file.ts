import { corruptAt, type Place } from './errors.js'
import { type RawStats, rawStats } from './manifest-list.js'
import { bytes, type Codec, column, int, list, long, millis, optional, record, text } from './record.js'
import { type FileSource, fileSource } from './record-codes.js'

/** A data file as a manifest describes it. Rows and bounds stay in their serialized form until they are asked for. */
export interface DataFileMeta {
  readonly fileName: string
  readonly fileSize: bigint
  /** Rows in the file, those that retract among them. */
  readonly rowCount: bigint
  /** Serialized rows over the trimmed primary key; of no fields in an append table. */
  readonly minKey: Uint8Array
  readonly maxKey: Uint8Array
  /** Over the trimmed primary key. */
  readonly keyStats: RawStats
  /** Over the columns that `valueStatsCols` tells. */
  readonly valueStats: RawStats
  readonly minSequenceNumber: bigint
  readonly maxSequenceNumber: bigint
  /** The schema that the file was written with. */
  readonly schemaId: number
  /** Level of the LSM tree; 0 in an append table. */
  readonly level: number
  /** Names of files beside it, such as its index. */
  readonly extraFiles: readonly string[]
  /** Wall clock of the writer, milliseconds. */
  readonly creationTime: bigint | undefined
  /** Rows that retract; undefined in old files, which did not count them. */
  readonly deleteRowCount: bigint | undefined
  readonly embeddedFileIndex: Uint8Array | undefined
  readonly fileSource: FileSource | undefined
  /** Undefined: all columns of the file; empty: none. */
  readonly valueStatsCols: readonly string[] | undefined
  /** Where the file is, if not where the table's layout puts it. */
  readonly externalPath: string | undefined
  readonly firstRowId: bigint | undefined
  /** The columns that the file holds; undefined: all of its schema. */
  readonly writeCols: readonly string[] | undefined
  readonly writeColsSequences: readonly bigint[] | undefined
}

const sourceCodec: Codec<FileSource> = {
  avro: (schema, at) => {
    const read = int.avro(schema, at)
    return (tap) => fileSource(read(tap), at)
  },
  row: (value, at) => fileSource(int.row(value, at), at),
}

/** An id that is exact as a number. */
const idCodec: Codec<number> = {
  avro: (schema, at) => {
    const read = long.avro(schema, at)
    return (tap) => safeId(read(tap), at)
  },
  row: (value, at) => safeId(long.row(value, at), at),
}

/** An id as a number; CORRUPT_FILE naming the place for what is none. */
export function safeId(value: bigint, place: Place): number {
  const id = Number(value)
  return id >= 0 && Number.isSafeInteger(id) ? id : corruptAt(place, `is ${value}, which is no id`, value)
}

export const DATA_FILE_COLUMNS = {
  fileName: column('_FILE_NAME', text),
  fileSize: column('_FILE_SIZE', long),
  rowCount: column('_ROW_COUNT', long),
  minKey: column('_MIN_KEY', bytes),
  maxKey: column('_MAX_KEY', bytes),
  keyStats: column('_KEY_STATS', rawStats),
  valueStats: column('_VALUE_STATS', rawStats),
  minSequenceNumber: column('_MIN_SEQUENCE_NUMBER', long),
  maxSequenceNumber: column('_MAX_SEQUENCE_NUMBER', long),
  schemaId: column('_SCHEMA_ID', idCodec),
  level: column('_LEVEL', int),
  extraFiles: column('_EXTRA_FILES', list(text)),
  creationTime: optional('_CREATION_TIME', millis),
  deleteRowCount: optional('_DELETE_ROW_COUNT', long),
  embeddedFileIndex: optional('_EMBEDDED_FILE_INDEX', bytes),
  fileSource: optional('_FILE_SOURCE', sourceCodec),
  valueStatsCols: optional('_VALUE_STATS_COLS', list(text)),
  externalPath: optional('_EXTERNAL_PATH', text),
  firstRowId: optional('_FIRST_ROW_ID', long),
  writeCols: optional('_WRITE_COLS', list(text)),
  writeColsSequences: optional('_WRITE_COLS_SEQUENCES', list(long)),
} as const

export const dataFileMeta: Codec<DataFileMeta> = record(DATA_FILE_COLUMNS)
