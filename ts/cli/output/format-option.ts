import { type Command, Option } from 'commander'

import { ROW_FORMATS, type RowFormat } from './row-writer.js'

export interface FormatOptions<F extends string = RowFormat> {
  format?: F
  json?: boolean
  out?: string
}

/** Adds --format, --json and --out. */
export function withFormat(command: Command, more: readonly string[] = []): Command {
  return command
    .addOption(new Option('--format <format>', 'how results are written').choices([...ROW_FORMATS, ...more]))
    .option('--json', 'results as JSON')
    .option('--out <file>', 'write to this file instead of stdout')
}

/** The format asked for; a table where nothing is said. */
export function formatOf<F extends string>(options: FormatOptions<F>): F | RowFormat {
  return options.format ?? (options.json ? 'json' : 'table')
}
