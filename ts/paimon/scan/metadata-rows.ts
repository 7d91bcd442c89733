import { stringifyJson } from '../../base/json.js'
import type { FileIO } from '../../io/file-io.js'
import { withLocalPath } from '../../io/local-copy.js'
import { openReader } from '../../reader/batch-reader.js'
import { readRows } from '../../reader/rows.js'
import type { RowObject } from '../metadata/record.js'
import type { ColumnarFile, MetadataRowReader } from '../metadata/record-file.js'
import { sharedField } from '../metadata/shared-type.js'
import { TypeTextParser } from '../metadata/type-text.js'
import type { PaimonField, PaimonType } from '../metadata/types.js'
import { taskField } from './task-types.js'

type Shape = readonly (readonly [name: string, type: string | Shape | readonly [Shape]])[]

const STATS: Shape = [
  ['_MIN_VALUES', 'BYTES'],
  ['_MAX_VALUES', 'BYTES'],
  ['_NULL_COUNTS', 'BIGINT ARRAY'],
]
const LIST: Shape = [
  ['_VERSION', 'INT'],
  ['_FILE_NAME', 'STRING'],
  ['_FILE_SIZE', 'BIGINT'],
  ['_NUM_ADDED_FILES', 'BIGINT'],
  ['_NUM_DELETED_FILES', 'BIGINT'],
  ['_PARTITION_STATS', STATS],
  ['_SCHEMA_ID', 'BIGINT'],
  ['_MIN_BUCKET', 'INT'],
  ['_MAX_BUCKET', 'INT'],
  ['_MIN_LEVEL', 'INT'],
  ['_MAX_LEVEL', 'INT'],
  ['_MIN_ROW_ID', 'BIGINT'],
  ['_MAX_ROW_ID', 'BIGINT'],
  ['_TOTAL_BUCKETS', 'INT'],
  ['_EXTRA_FILES', 'STRING ARRAY'],
]
const FILE: Shape = [
  ['_FILE_NAME', 'STRING'],
  ['_FILE_SIZE', 'BIGINT'],
  ['_ROW_COUNT', 'BIGINT'],
  ['_MIN_KEY', 'BYTES'],
  ['_MAX_KEY', 'BYTES'],
  ['_KEY_STATS', STATS],
  ['_VALUE_STATS', STATS],
  ['_MIN_SEQUENCE_NUMBER', 'BIGINT'],
  ['_MAX_SEQUENCE_NUMBER', 'BIGINT'],
  ['_SCHEMA_ID', 'BIGINT'],
  ['_LEVEL', 'INT'],
  ['_EXTRA_FILES', 'STRING ARRAY'],
  ['_CREATION_TIME', 'TIMESTAMP(3)'],
  ['_DELETE_ROW_COUNT', 'BIGINT'],
  ['_EMBEDDED_FILE_INDEX', 'BYTES'],
  ['_FILE_SOURCE', 'INT'],
  ['_VALUE_STATS_COLS', 'STRING ARRAY'],
  ['_EXTERNAL_PATH', 'STRING'],
  ['_FIRST_ROW_ID', 'BIGINT'],
  ['_WRITE_COLS', 'STRING ARRAY'],
  ['_WRITE_COLS_SEQUENCES', 'BIGINT ARRAY'],
]
const MANIFEST: Shape = [
  ['_VERSION', 'INT'],
  ['_KIND', 'INT'],
  ['_PARTITION', 'BYTES'],
  ['_BUCKET', 'INT'],
  ['_TOTAL_BUCKETS', 'INT'],
  ['_FILE', FILE],
]
const INDEX: Shape = [
  ['_VERSION', 'INT'],
  ['_KIND', 'INT'],
  ['_PARTITION', 'BYTES'],
  ['_BUCKET', 'INT'],
  ['_INDEX_TYPE', 'STRING'],
  ['_FILE_NAME', 'STRING'],
  ['_FILE_SIZE', 'BIGINT'],
  ['_ROW_COUNT', 'BIGINT'],
  [
    '_DELETIONS_VECTORS_RANGES',
    [
      [
        ['f0', 'STRING'],
        ['f1', 'INT'],
        ['f2', 'INT'],
        ['_CARDINALITY', 'BIGINT'],
      ],
    ],
  ],
  ['_EXTERNAL_PATH', 'STRING'],
]

/** Reads metadata in ORC and Parquet through the native core; the file's name tells which records it holds. */
export function nativeMetadataRows(io: FileIO): MetadataRowReader {
  return {
    readRows: (file, signal) => withLocalPath(io, file.location, file.bytes, (path) => rowsAt(path, file, signal)),
  }
}

async function rowsAt(path: string, { location, format, bytes }: ColumnarFile, signal: AbortSignal | undefined) {
  const name = location.slice(location.lastIndexOf('/') + 1)
  const shape = name.startsWith('manifest-list-') ? LIST : name.startsWith('index-manifest-') ? INDEX : MANIFEST
  const fields = fieldsOf(shape)
  const json = fields.map((field) => taskField(field))
  const size = bytes.length
  const task = {
    version: 1,
    'data-file': {
      path: location,
      location: path,
      format,
      'file-size-in-bytes': size,
      'record-count': -1,
      fields: json,
    },
    start: 0,
    length: size,
    'snapshot-id': null,
    'spec-id': 0,
    'data-sequence-number': 0,
    partition: [],
    schema: json,
    projection: json,
    residual: true,
    'residual-text': '["true"]',
    'delete-files': [],
    rows: { kind: 'plain' },
  }
  const reader = await openReader({
    tasks: [{ toJson: () => stringifyJson(task) }],
    projection: fields.map(sharedField),
    projectionJson: stringifyJson(json),
    options: { numWorkers: 1, ...(signal === undefined ? {} : { signal }) },
  })
  const rows: RowObject[] = []
  for await (const row of readRows(reader)) rows.push(row)
  return rows
}

/** Columns with ids that do not meet. */
function fieldsOf(shape: Shape, next = { id: 1 }): readonly PaimonField[] {
  return shape.map(([name, type]) => ({ id: next.id++, name, type: typeOf(type, next) }))
}

function typeOf(type: string | Shape | readonly [Shape], next: { id: number }): PaimonType {
  if (typeof type === 'string') return new TypeTextParser(type, { file: 'metadata', field: type }).parse()
  const [first] = type
  if (type.length === 1 && Array.isArray(first) && Array.isArray(first[0])) {
    return {
      kind: 'array',
      nullable: true,
      element: { kind: 'row', nullable: true, fields: fieldsOf(first as Shape, next) },
    }
  }
  return { kind: 'row', nullable: true, fields: fieldsOf(type as Shape, next) }
}
