import { LakefoldError } from '../base/errors.js'
import { parseJson, stringifyJson } from '../base/json.js'
import { JsonObject } from '../base/json-object.js'
import type { JsonValue } from '../types/types.js'
import {
  type DeleteContent,
  TASK_VERSION,
  type TaskDataFile,
  type TaskDeleteFile,
  type TaskFileFormat,
  type TaskParts,
} from './document.js'

/** What errors name in place of a file. */
const SOURCE = 'scan task'
const FORMATS: readonly TaskFileFormat[] = ['parquet', 'orc', 'avro', 'puffin']
const CONTENTS: readonly DeleteContent[] = ['puffin-dv', 'positions', 'equality']

/**
 * Reads a task document.
 *
 * @throws LakefoldError CORRUPT_FILE naming the field; UNSUPPORTED for another version.
 */
export function parseTask(text: string): { parts: TaskParts; start: number; length: number } {
  const task = new JsonObject(parseJson(text, SOURCE), SOURCE)
  const version = task.int('version')
  if (version !== TASK_VERSION) {
    throw new LakefoldError('UNSUPPORTED', `scan task version ${version}; this build reads version ${TASK_VERSION}`, {
      context: { field: 'version', value: version },
    })
  }
  const rows = task.optObject('rows')
  if (rows !== undefined && rows.string('kind') !== 'plain') rows.fail('kind', 'must be "plain"', rows.get('kind'))
  const parts: TaskParts = {
    scan: {
      partitionType: list(task, 'partition-type', '[]'),
      schema: list(task, 'schema'),
      projection: list(task, 'projection'),
      nameMapping: list(task, 'name-mapping', 'null'),
    },
    snapshotId: task.optLong('snapshot-id'),
    dataFile: parseDataFile(task),
    deleteFiles: parseDeletes(task, 'delete-files') ?? [],
    onlyDeletedBy: parseDeletes(task, 'only-deleted-by'),
    residual: { text: task.string('residual-text'), json: stringifyJson(task.get('residual')) },
    constants: parseConstants(task),
  }
  return { parts, start: bytes(task, 'start'), length: bytes(task, 'length') }
}

function parseDataFile(task: JsonObject): TaskDataFile {
  const file = new JsonObject(task.get('data-file'), SOURCE, 'data-file')
  const partition = task.optObjects('partition') ?? []
  return {
    path: file.string('path'),
    location: file.string('location'),
    format: oneOf(file, 'format', FORMATS),
    fileSizeInBytes: bytes(file, 'file-size-in-bytes'),
    recordCount: file.long('record-count'),
    specId: task.int('spec-id'),
    dataSequenceNumber: task.long('data-sequence-number'),
    fileSequenceNumber: task.optLong('file-sequence-number'),
    firstRowId: task.optLong('first-row-id'),
    partitionFields: partition.map((field) => ({
      fieldId: field.int('field-id'),
      name: field.string('name'),
      sourceIds: field.optInts('source-ids') ?? field.fail('source-ids', 'is missing', undefined),
      transform: field.string('transform'),
      type: field.get('type'),
    })),
    partitionValues: partition.map((field) => field.opt('value') ?? null),
  }
}

function parseDeletes(task: JsonObject, key: string): TaskDeleteFile[] | undefined {
  return task.optObjects(key)?.map((file) => ({
    content: oneOf(file, 'content', CONTENTS),
    path: file.string('path'),
    location: file.string('location'),
    format: oneOf(file, 'format', FORMATS),
    fileSizeInBytes: bytes(file, 'file-size-in-bytes'),
    recordCount: file.long('record-count'),
    dataSequenceNumber: file.long('data-sequence-number'),
    specId: file.int('spec-id'),
    contentOffset: file.has('content-offset') ? bytes(file, 'content-offset') : undefined,
    contentSizeInBytes: file.has('content-size-in-bytes') ? bytes(file, 'content-size-in-bytes') : undefined,
    referencedDataFile: file.optString('referenced-data-file'),
    equalityIds: file.optInts('equality-ids'),
    equalityFields: file.optList('equality-fields'),
    lowerPath: file.optString('lower-path'),
    upperPath: file.optString('upper-path'),
  }))
}

function parseConstants(task: JsonObject): ReadonlyMap<number, JsonValue> {
  const constants = task.optObject('constants')
  const entries = (constants?.keys() ?? []).map((key): [number, JsonValue] => {
    const id = Number(key)
    if ((id | 0) !== id) constants!.fail(key, 'must be named by a field id', key)
    return [id, constants!.opt(key) ?? null]
  })
  return new Map(entries)
}

/** A list of the document, kept as text: the decoder is the one that reads it. */
function list(task: JsonObject, key: string, absent?: string): string {
  const value = task.optList(key)
  if (value !== undefined) return stringifyJson(value)
  return absent ?? task.fail(key, 'is missing', undefined)
}

/** A byte count: 0 up to 2^53. */
function bytes(object: JsonObject, key: string): number {
  const value = object.long(key)
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) object.fail(key, 'must be a number of bytes', value)
  return Number(value)
}

function oneOf<T extends string>(object: JsonObject, key: string, allowed: readonly T[]): T {
  const value = object.string(key)
  return allowed.find((name) => name === value) ?? object.fail(key, `must be one of ${allowed.join(', ')}`, value)
}
