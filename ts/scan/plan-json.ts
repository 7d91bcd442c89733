import { stringifyJson } from '../base/json.js'
import type { TaskDeleteFile } from '../task/document.js'
import type { FileScanTask } from '../task/scan-task.js'
import type { JsonValue } from '../types/types.js'

export interface PlanJsonOptions {
  /** Adds what `toBatchesForTasks` needs to read the plan back. Default false. */
  readonly full?: boolean
}

/** A plan as compact JSON, one object a task in plan order; the order of keys is part of the format. */
export function planToJson(
  tasks: readonly FileScanTask[],
  projectedFieldIds: readonly number[],
  options: PlanJsonOptions = {},
): string {
  const printed = tasks.map((task) => {
    const document = taskToPlan(task, projectedFieldIds)
    return stringifyJson(options.full === true ? { ...document, ...fullPart(task) } : document)
  })
  return `[${printed.join(',')}]`
}

function taskToPlan(task: FileScanTask, projectedFieldIds: readonly number[]): Record<string, JsonValue> {
  return {
    'data-file-path': task.dataFile.path,
    deletes: task.deleteFiles.map((file) => file.path),
    'file-format': task.dataFile.format,
    'file-size-in-bytes': task.dataFile.fileSizeInBytes,
    length: task.length,
    'project-field-ids': projectedFieldIds,
    'record-count': task.dataFile.recordCount,
    start: task.start,
  }
}

function fullPart(task: FileScanTask): Record<string, JsonValue> {
  const { dataFile } = task
  return {
    'spec-id': dataFile.specId,
    partition: Object.fromEntries(
      dataFile.partitionFields.map((field, i) => [field.name, dataFile.partitionValues[i] ?? null]),
    ),
    'data-sequence-number': dataFile.dataSequenceNumber,
    'file-sequence-number': dataFile.fileSequenceNumber ?? null,
    residual: task.residual,
    'first-row-id': dataFile.firstRowId ?? null,
    'delete-files': task.deleteFiles.map(deleteToPlan),
  }
}

function deleteToPlan(file: TaskDeleteFile): JsonValue {
  return {
    path: file.path,
    content: file.content === 'equality' ? 'equality-deletes' : 'position-deletes',
    format: file.format,
    'content-offset': file.contentOffset ?? null,
    'content-size-in-bytes': file.contentSizeInBytes ?? null,
    'referenced-data-file': file.referencedDataFile ?? null,
    'equality-ids': file.equalityIds ?? null,
    'data-sequence-number': file.dataSequenceNumber,
    'spec-id': file.specId,
    'file-size-in-bytes': file.fileSizeInBytes,
    'record-count': file.recordCount,
  }
}
