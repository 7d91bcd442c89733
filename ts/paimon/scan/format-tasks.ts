import type { FormatTableScan } from '../format-table/format-scan.js'
import type { FormatSplit } from '../format-table/format-split.js'
import { isTextFormat, lineOptions } from '../format-table/line-options.js'
import {
  asTask,
  dataFileJson,
  partitionJson,
  readingRules,
  type SplitTask,
  sharedPart,
  type TaskDocument,
  type TaskSettings,
} from './task-document.js'
import { taskField } from './task-types.js'

/** The tasks of a format table's splits. INVALID_ARGUMENT naming an option of the files that cannot be. */
export function formatTasks(
  { table, predicate, options }: FormatTableScan,
  settings: Omit<TaskSettings, 'predicate'>,
  splits: readonly FormatSplit[],
): readonly SplitTask[] {
  const { schema, io, format } = table
  const inFiles = schema.fields
    .filter((field) => !schema.partitionKeys.includes(field.name))
    .map((field) => taskField(field))
  const shared = sharedPart(schema, { ...settings, predicate })
  const lines: TaskDocument = isTextFormat(format) ? { lines: lineOptions(format, options) } : {}
  const rules = readingRules(format, { options })
  return splits.map((split) =>
    asTask({
      ...shared,
      'data-file': {
        ...dataFileJson(io, split.filePath, split.format, split.fileSize, -1, inFiles),
        ...lines,
        ...rules,
      },
      start: split.offset,
      length: split.length,
      'snapshot-id': null,
      'data-sequence-number': 0,
      'first-row-id': null,
      partition: partitionJson(schema.partitionFields, split.partitionValues),
      'delete-files': [],
      rows: { kind: 'plain' },
    }),
  )
}
