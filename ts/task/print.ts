import { stringifyJson } from '../base/json.js'
import type { JsonValue } from '../types/types.js'
import { TASK_VERSION, type TaskDataFile, type TaskDeleteFile, type TaskParts } from './document.js'

/** Delete files are shared by many data files, so each is printed once. */
const printedDeletes = new WeakMap<TaskDeleteFile, string>()
/** Files of one partition spec share the description of its fields. */
const printedFields = new WeakMap<TaskDataFile['partitionFields'], readonly string[]>()

/** Prints a task document, keys in the order of `crates/task`. What a scan's tasks share comes printed in `parts.scan`. */
export function printTask(parts: TaskParts, start: number, length: number): string {
  const { scan, dataFile: file, residual } = parts
  const data = stringifyJson({
    path: file.path,
    location: file.location,
    format: file.format,
    'file-size-in-bytes': file.fileSizeInBytes,
    'record-count': file.recordCount,
  })
  return [
    `{"version":${TASK_VERSION}`,
    `"data-file":${data}`,
    `"start":${start}`,
    `"length":${length}`,
    `"snapshot-id":${parts.snapshotId ?? null}`,
    `"spec-id":${file.specId}`,
    `"data-sequence-number":${file.dataSequenceNumber}`,
    `"file-sequence-number":${file.fileSequenceNumber ?? null}`,
    `"first-row-id":${file.firstRowId ?? null}`,
    `"partition":${printPartition(file)}`,
    `"partition-type":${scan.partitionType}`,
    `"schema":${scan.schema}`,
    `"projection":${scan.projection}`,
    `"residual":${residual.json}`,
    `"residual-text":${JSON.stringify(residual.text)}`,
    `"name-mapping":${scan.nameMapping}`,
    `"delete-files":${printDeletes(parts.deleteFiles)}`,
    `"only-deleted-by":${parts.onlyDeletedBy === undefined ? 'null' : printDeletes(parts.onlyDeletedBy)}`,
    `"constants":${stringifyJson(Object.fromEntries(parts.constants))}`,
    '"rows":{"kind":"plain"}}',
  ].join(',')
}

function printPartition(file: TaskDataFile): string {
  let heads = printedFields.get(file.partitionFields)
  if (heads === undefined) {
    heads = file.partitionFields.map((field) =>
      stringifyJson({
        'field-id': field.fieldId,
        name: field.name,
        'source-ids': field.sourceIds,
        transform: field.transform,
        type: field.type,
      }).slice(0, -1),
    )
    printedFields.set(file.partitionFields, heads)
  }
  return `[${heads.map((head, i) => `${head},"value":${stringifyJson(file.partitionValues[i] ?? null)}}`).join(',')}]`
}

function printDeletes(files: readonly TaskDeleteFile[]): string {
  return `[${files.map(printDelete).join(',')}]`
}

function printDelete(file: TaskDeleteFile): string {
  let text = printedDeletes.get(file)
  if (text === undefined) {
    const document: Record<string, JsonValue> = {
      content: file.content,
      path: file.path,
      location: file.location,
      format: file.format,
      'file-size-in-bytes': file.fileSizeInBytes,
      'record-count': file.recordCount,
      'data-sequence-number': file.dataSequenceNumber,
      'spec-id': file.specId,
      'content-offset': file.contentOffset ?? null,
      'content-size-in-bytes': file.contentSizeInBytes ?? null,
      'referenced-data-file': file.referencedDataFile ?? null,
      'equality-ids': file.equalityIds ?? null,
      'equality-fields': file.equalityFields ?? null,
      'lower-path': file.lowerPath ?? null,
      'upper-path': file.upperPath ?? null,
    }
    text = stringifyJson(document)
    printedDeletes.set(file, text)
  }
  return text
}
