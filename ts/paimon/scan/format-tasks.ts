import type { FormatTableScan } from '../format-table/format-scan.js'
import type { FormatSplit } from '../format-table/format-split.js'
import type { FormatName } from '../format-table/format-table.js'
import { isTextFormat, lineOptions } from '../format-table/line-options.js'
import { ignoredOnceOpen } from '../metadata/ignored-files.js'
import type { Options } from '../metadata/option.js'
import {
  asTask,
  dataFileJson,
  partitionJson,
  type SplitTask,
  sharedPart,
  type TaskDocument,
  type TaskSettings,
  valueRules,
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
  const rules = { ...valueRules(format, { options }), ...damageRules(format, options) }
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

/** Failures of lines are errors whatever the options say: the reference parses them where none is let pass. */
function damageRules(format: FormatName, options: Options): TaskDocument {
  const ignore = isTextFormat(format) ? undefined : ignoredOnceOpen({ options })
  return ignore === undefined ? {} : { ignore }
}
