import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { bind } from '../../expr/bind.js'
import { parseFilter } from '../../expr/parse.js'
import type { FileScanTask } from '../../task/scan-task.js'
import type { PartitionTuple } from '../../types/partition.js'
import { valueFromJson } from '../../types/single-value.js'
import type { JsonValue, PrimitiveType, Value } from '../../types/types.js'
import type { ContentFile, FileContent, FileFormat } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { type TaskContext, TaskFactory } from './task-factory.js'

/** What errors name in place of a file. */
const SOURCE = 'plan'
const FORMATS: readonly FileFormat[] = ['parquet', 'avro', 'orc', 'puffin']

/**
 * Tasks of what `planFilesJson({ full: true })` wrote, for the scan that reads them now: its schema, selection and
 * locations.
 *
 * @throws LakefoldError CORRUPT_FILE naming the key that is missing or wrong
 */
export function readPlan(text: string, context: TaskContext, snapshotId: bigint | undefined): FileScanTask[] {
  const factory = new TaskFactory(context)
  const plan = new JsonObject({ plan: parseJson(text, SOURCE) }, SOURCE)
  return plan.objects('plan').map((entry) => {
    const residual = bind(parseFilter(entry.string('residual')), context.schema, { caseSensitive: true })
    const deletes = entry.objects('delete-files').map((file) => readDelete(file))
    const file = readDataFile(entry, context.metadata)
    const task = factory.task({ file, deletes, residual, snapshotId })
    return task.withRange(Number(entry.long('start')), Number(entry.long('length')))
  })
}

function readDataFile(entry: JsonObject, metadata: TableMetadata): ContentFile {
  const specId = entry.int('spec-id')
  const spec = metadata.specById(specId)
  const types = metadata.partitionTypes(spec)
  const values = new JsonObject(entry.get('partition'), SOURCE, entry.child('partition'))
  return {
    ...withoutStatistics,
    content: 'data',
    path: entry.string('data-file-path'),
    format: format(entry, 'file-format'),
    specId,
    partition: spec.fields.map((field, i) => partitionValue(types[i]!, values.opt(field.name))),
    recordCount: entry.long('record-count'),
    fileSizeInBytes: entry.long('file-size-in-bytes'),
    firstRowId: entry.optLong('first-row-id'),
    dataSequenceNumber: entry.long('data-sequence-number'),
    fileSequenceNumber: entry.optLong('file-sequence-number'),
  }
}

function readDelete(file: JsonObject): ContentFile {
  const content = file.string('content')
  if (content !== 'position-deletes' && content !== 'equality-deletes') {
    return file.fail('content', 'must be position-deletes or equality-deletes', content)
  }
  return {
    ...withoutStatistics,
    content: content satisfies FileContent,
    path: file.string('path'),
    format: format(file, 'format'),
    specId: file.int('spec-id'),
    partition: NO_PARTITION,
    recordCount: file.long('record-count'),
    fileSizeInBytes: file.long('file-size-in-bytes'),
    equalityIds: file.optInts('equality-ids'),
    referencedDataFile: file.optString('referenced-data-file'),
    contentOffset: file.optLong('content-offset'),
    contentSizeInBytes: file.optLong('content-size-in-bytes'),
    dataSequenceNumber: file.long('data-sequence-number'),
  }
}

function format(entry: JsonObject, key: string): FileFormat {
  const text = entry.string(key)
  return FORMATS.find((known) => known === text) ?? entry.fail(key, `must be one of ${FORMATS.join(', ')}`, text)
}

function partitionValue(type: PrimitiveType, json: JsonValue | undefined): Value | null {
  if (json === undefined || json === null) return null
  return type.kind === 'unknown' ? (json as Value) : valueFromJson(type, json, { file: SOURCE })
}

/** Which deletes apply was decided when the plan was made. */
const NO_PARTITION: PartitionTuple = []
const unknown = () => undefined

const withoutStatistics = {
  splitOffsets: undefined,
  sortOrderId: undefined,
  equalityIds: undefined,
  keyMetadata: undefined,
  firstRowId: undefined,
  referencedDataFile: undefined,
  contentOffset: undefined,
  contentSizeInBytes: undefined,
  fileSequenceNumber: undefined,
  valueCount: unknown,
  nullCount: unknown,
  nanCount: unknown,
  lowerBound: unknown,
  upperBound: unknown,
}
