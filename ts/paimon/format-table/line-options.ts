import { LakefoldError } from '../../base/errors.js'
import type { JsonValue } from '../../types/types.js'
import type { Option, Options } from '../metadata/option.js'
import {
  CSV_ESCAPE,
  CSV_FIELD_DELIMITER,
  CSV_HEADER,
  CSV_LINE_DELIMITER,
  CSV_MODE,
  CSV_NULL_LITERAL,
  CSV_QUOTE,
  JSON_IGNORE_PARSE_ERRORS,
  JSON_LINE_DELIMITER,
  TEXT_LINE_DELIMITER,
} from '../metadata/options.js'
import type { FormatName, TextFormat } from './format-table.js'

const LINE_DELIMITERS: Readonly<Record<TextFormat, Option<string>>> = {
  csv: CSV_LINE_DELIMITER,
  json: JSON_LINE_DELIMITER,
  text: TEXT_LINE_DELIMITER,
}

/** Endings of files that are compressed as a whole. */
const COMPRESSED = ['gz', 'deflate', 'bz2', 'zst', 'snappy', 'lz4']

/** Whether files of a format are lines. */
export function isTextFormat(format: FormatName): format is TextFormat {
  return Object.hasOwn(LINE_DELIMITERS, format)
}

/**
 * Whether a file can be read from any place on: what ends its lines is known wherever one begins to look.
 * Only CSV and JSON, as the reference does.
 */
export function isCuttable(path: string, format: FormatName, options: Options): boolean {
  if (format !== 'csv' && format !== 'json') return false
  const ending = path.slice(path.lastIndexOf('.') + 1)
  return !COMPRESSED.includes(ending) && ['\n', '\r\n', '\r'].includes(lineDelimiter(format, options))
}

/** How the lines are written, as the task document has it. INVALID_ARGUMENT naming an option that cannot be. */
export function lineOptions(format: TextFormat, options: Options): JsonValue {
  const delimiter = { 'line-delimiter': lineDelimiter(format, options) }
  if (format === 'text') return delimiter
  // What a null key of a map is only matters to writers: names in JSON are never null.
  if (format === 'json') {
    return { ...delimiter, json: { 'ignore-parse-errors': options.get(JSON_IGNORE_PARSE_ERRORS) } }
  }
  const delimited = {
    'field-delimiter': options.get(CSV_FIELD_DELIMITER),
    quote: options.get(CSV_QUOTE),
    escape: options.get(CSV_ESCAPE),
    'null-literal': options.get(CSV_NULL_LITERAL),
    header: options.get(CSV_HEADER),
    mode: options.get(CSV_MODE),
  }
  return { ...delimiter, delimited }
}

function lineDelimiter(format: TextFormat, options: Options): string {
  const option = LINE_DELIMITERS[format]
  const delimiter = options.get(option)
  if (delimiter !== '') return delimiter
  throw new LakefoldError('INVALID_ARGUMENT', `${options.source}: option "${option.key}" must not be empty`, {
    context: { file: options.source, field: option.key, option: option.key, value: delimiter },
  })
}
