import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import type { FileIO } from '../../io/file-io.js'
import type { Cuttable, Divisible } from '../../reader/pieces.js'
import { formatDecimal } from '../../types/decimal.js'
import type { JsonValue, NestedField } from '../../types/types.js'
import { toHex } from '../../types/utf8.js'
import type { Datum } from '../metadata/datum.js'
import { ignored, mayLackRows } from '../metadata/ignored-files.js'
import type { Options } from '../metadata/option.js'
import { ORC_TIMESTAMP_LTZ_LEGACY } from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import type { PaimonField } from '../metadata/types.js'
import { execPredicate, printPredicate } from '../plan/exec-predicate.js'
import { type Predicate, referencedIds } from '../plan/predicate.js'
import { ROW_ID } from '../plan/row-id-filter.js'
import { dividedMerge } from './divide-merge.js'
import { projectionJson, taskField } from './task-types.js'

const READABLE: readonly string[] = ['parquet', 'orc', 'avro', 'csv', 'json', 'text', 'blob']

/** A task document, ready to be read. */
export interface SplitTask {
  toJson(): string
}

export interface TaskSettings {
  readonly predicate: Predicate
  readonly projection: readonly NestedField[]
  /** Whether changes come with the rows that retract. */
  readonly keepDeletes: boolean
  /** Whether keys whose merged row retracts are returned. */
  readonly keepMerged: boolean
}

/** A task document in the making. */
export type TaskDocument = { readonly [key: string]: JsonValue }

/** How a data file of a format is read, by the table's options. */
export function readingRules(format: string, table: { readonly options: Options }): TaskDocument {
  return { ...valueRules(format, table), ...(mayLackRows(table) ? { ignore: ignored(table) } : {}) }
}

/** How the values of a file of a format are read, by the table's options. */
export function valueRules(format: string, { options }: { readonly options: Options }): TaskDocument {
  return format === 'orc' && options.get(ORC_TIMESTAMP_LTZ_LEGACY) ? { 'local-instants': true } : {}
}

/** Readers may cut the file of a task that reads it as it lies, and divide merges. */
export function asTask(document: TaskDocument): SplitTask | (SplitTask & (Cuttable | Divisible)) {
  const toJson = () => stringifyJson(document)
  if ((document.rows as TaskDocument).kind === 'merge') {
    return {
      toJson,
      divided: (bytes) => dividedMerge(document, bytes).map((part) => ({ toJson: () => stringifyJson(part) })),
    }
  }
  const file = document['data-file'] as TaskDocument
  // Damage ends the rows of a file, not those of a range of it.
  if ((document.rows as TaskDocument).kind !== 'plain' || file.ignore !== undefined) return { toJson }
  return {
    toJson,
    dataFile: {
      format: file.format as string,
      fileSizeInBytes: Number(file['file-size-in-bytes']),
      recordCount: BigInt(file['record-count'] as number | bigint),
    },
    start: Number(document.start),
    length: Number(document.length),
    withRange: (start, length) => asTask({ ...document, start, length }),
  }
}

/** What all tasks of a read have in common. */
export function sharedPart(schema: TableSchema, { predicate, projection }: TaskSettings): TaskDocument {
  return {
    version: 1,
    'spec-id': 0,
    // The filter's ids refer to it.
    schema: [
      ...schema.fields.map((field) => taskField(field)),
      ...(referencedIds(predicate).has(ROW_ID.id) ? (projectionJson([ROW_ID], []) as JsonValue[]) : []),
    ],
    projection: projectionJson(projection, schema.fields),
    residual: execPredicate(predicate, schema.fields),
    'residual-text': printPredicate(predicate),
  }
}

/** A file as tasks have it. UNSUPPORTED naming a format that cannot be read. */
export function dataFileJson(
  io: FileIO,
  path: string,
  format: string,
  size: bigint | number,
  rows: bigint | number,
  fields: JsonValue,
): TaskDocument {
  if (!READABLE.includes(format)) {
    throw new LakefoldError('UNSUPPORTED', `${path}: files of the format "${format}" cannot be read`, {
      context: { file: path, format },
    })
  }
  return { path, location: io.resolve(path), format, 'file-size-in-bytes': size, 'record-count': rows, fields }
}

/** The values of the partition columns, which hold for all rows of a task. */
export function partitionJson(fields: readonly PaimonField[], values: readonly Datum[]): JsonValue {
  return fields.map((field, i) => {
    const json = taskField(field) as { readonly type: JsonValue }
    const value = partitionValue(field, values[i] ?? null)
    const head = { 'field-id': 1000 + i, name: field.name, 'source-ids': [field.id], transform: 'identity' }
    return { ...head, type: json.type, value }
  })
}

function partitionValue({ type }: PaimonField, value: Datum): JsonValue {
  if (value === null) return null
  if (value instanceof Uint8Array) return toHex(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'bigint') {
    if (type.kind === 'decimal') return formatDecimal(value, type.scale)
    const short =
      type.kind === 'time' || ((type.kind === 'timestamp' || type.kind === 'timestamp_ltz') && type.precision <= 3)
    const ticks = short ? value / 1000n : value
    return Number.isSafeInteger(Number(ticks)) ? Number(ticks) : ticks.toString()
  }
  return value as JsonValue
}
