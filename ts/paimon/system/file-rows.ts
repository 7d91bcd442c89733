import { Field, type Table, Utf8 } from 'apache-arrow'
import { tableOfCells } from '../../arrow/cells.js'
import { decodeRow } from '../metadata/binary-row.js'
import { fileFormat } from '../metadata/file-paths.js'
import { FileSchemas } from '../plan/file-stats.js'
import type { FileEntry } from '../plan/live-entry.js'
import { listOf, optional, required } from './columns.js'
import { liveFiles, type SystemSource } from './source.js'
import { statsTexts } from './stats-text.js'
import { keyText, rowText } from './value-text.js'

const HEAD = [
  optional('partition', 'string'),
  required('bucket', 'int'),
  required('file_path', 'string'),
  required('file_format', 'string'),
  required('schema_id', 'bigint'),
  required('level', 'int'),
  required('record_count', 'bigint'),
  required('file_size_in_bytes', 'bigint'),
  optional('min_key', 'string'),
  optional('max_key', 'string'),
]

const FILE_COLUMNS = [
  ...HEAD,
  required('null_value_counts', 'string'),
  required('min_value_stats', 'string'),
  required('max_value_stats', 'string'),
  optional('min_sequence_number', 'bigint'),
  optional('max_sequence_number', 'bigint'),
  optional('creation_time', 'timestamp'),
  optional('deleteRowCount', 'bigint'),
  optional('file_source', 'string'),
  optional('first_row_id', 'bigint'),
  listOf('write_cols', new Field('element', new Utf8(), true)),
]

/** The data files of the snapshot, with their statistics as today's columns have them. */
export async function filesTable(source: SystemSource): Promise<Table> {
  const { entries, schemas } = await bucketFiles(source)
  const rows = entries.map((entry) => {
    const { file } = entry
    const stats = statsTexts(entry, schemas)
    return [
      ...headCells(source, entry, schemas),
      stats.nullCounts,
      stats.min,
      stats.max,
      file.minSequenceNumber,
      file.maxSequenceNumber,
      file.creationTime,
      file.deleteRowCount,
      file.fileSource,
      file.firstRowId,
      file.writeCols,
    ]
  })
  return tableOfCells(FILE_COLUMNS, rows)
}

const RANGE_COLUMNS = [...HEAD, optional('first_row_id', 'bigint')]

/** The data files of the snapshot with the ranges of their keys. */
export async function fileKeyRangesTable(source: SystemSource): Promise<Table> {
  const { entries, schemas } = await bucketFiles(source)
  const rows = entries.map((entry) => [...headCells(source, entry, schemas), entry.file.firstRowId])
  return tableOfCells(RANGE_COLUMNS, rows)
}

/** The data files in buckets, those of level 0 too; not those that wait for a bucket. */
export async function bucketFiles(source: SystemSource): Promise<{
  readonly entries: readonly FileEntry[]
  readonly schemas: FileSchemas
}> {
  const { view } = source
  const entries = (await liveFiles(source)).filter((entry) => entry.bucket >= 0)
  const schemas = new FileSchemas(view.schema, view.schemas)
  await schemas.load(entries)
  return { entries, schemas }
}

function headCells({ view }: SystemSource, { partition, bucket, file, manifest }: FileEntry, schemas: FileSchemas) {
  const keys = schemas.of(file.schemaId).trimmedPrimaryKeys
  const key = (bytes: Uint8Array, field: string) => {
    if (keys.length === 0) return null
    const types = keys.map((one) => one.type)
    return keyText(keys, decodeRow(bytes, types, { file: manifest, field }))
  }
  return [
    rowText(view.schema.partitionFields, partition.values),
    bucket,
    view.files.dataFile(partition.values, bucket, file),
    fileFormat(file.fileName),
    BigInt(file.schemaId),
    file.level,
    file.rowCount,
    file.fileSize,
    key(file.minKey, '_FILE._MIN_KEY'),
    key(file.maxKey, '_FILE._MAX_KEY'),
  ]
}
