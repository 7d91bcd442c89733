import { type Command, InvalidArgumentError } from 'commander'

import { IcebergTable, openTable, type PaimonTable, type TableScan } from '../index.js'
import type { PaimonScan } from '../paimon/index.js'
import { SystemTable } from '../paimon/index.js'
import { paimonScan } from './paimon/scan.js'
import { UsageError } from './report-error.js'

/** Options of every command that opens a table. */
export interface TableOptions {
  rewrite?: Record<string, string>
}

/** Options of the commands that scan one. */
export interface ScanCommandOptions extends TableOptions {
  where?: string[]
  filter?: string[]
  select?: string[]
  snapshot?: string
  ref?: string
  asOf?: number
  limit?: number
  splitSize?: number
  workers?: number
  caseInsensitive?: boolean
  option?: Record<string, string>
}

export function withTable(command: Command): Command {
  return command
    .argument('<table>', 'a table folder or a metadata file')
    .option('--rewrite <from=to>', 'open locations that begin with <from> at <to>; may be repeated', parsePair)
}

export function withScan(command: Command): Command {
  return withTable(command)
    .option('--where <text>', 'rows to keep, as SQL-like text; may be repeated (and)', append)
    .option('--filter <json>', 'rows to keep, as array DSL or Iceberg REST JSON; may be repeated (and)', append)
    .option('--select <columns>', 'columns, comma-separated; dots step into structs', (text) => text.split(','))
    .option('--snapshot <id>', 'read this snapshot', parseSnapshot)
    .option('--ref <name>', 'read this branch or tag')
    .option('--as-of <time>', 'read the table as of a time: milliseconds since 1970, or ISO text', parseTime)
    .option('--limit <rows>', 'at most this many rows', parseWhole)
    .option('--split-size <bytes>', 'cut files into pieces of about this size', parseWhole)
    .option('--workers <n>', 'files that are read side by side', parseWhole)
    .option('--case-insensitive', 'match column names in any case')
    .option('--option <key=value>', 'Paimon: a table option of this scan; may be repeated', parsePair)
}

/** What a command may be given. */
export type AnyTable = IcebergTable | PaimonTable | SystemTable

/** Opens whatever lies there, also a system table. */
export function openAny(location: string, options: TableOptions): Promise<AnyTable> {
  return openTable(location, { rewriteLocations: options.rewrite ?? {} }) as Promise<AnyTable>
}

/** Opens the table of a command. */
export async function openFor(location: string, options: TableOptions): Promise<IcebergTable | PaimonTable> {
  const table = await openAny(location, options)
  if (table instanceof SystemTable) throw new UsageError(`${location} is a system table: those can be scanned`)
  return table
}

/** Whether a table is one of Paimon's. */
export const isPaimon = (table: IcebergTable | PaimonTable): table is PaimonTable => !(table instanceof IcebergTable)

/** The scan that the options describe. */
export function scanFor(
  table: IcebergTable | PaimonTable,
  options: ScanCommandOptions,
): Promise<TableScan | PaimonScan> | TableScan {
  checkOptions(options)
  return isPaimon(table) ? paimonScan(table, options) : icebergScan(table, options)
}

function checkOptions(options: ScanCommandOptions): void {
  const pins = [options.snapshot, options.ref, options.asOf].filter((pin) => pin !== undefined)
  if (pins.length > 1) throw new UsageError('only one of --snapshot, --ref and --as-of makes sense')
}

function icebergScan(table: IcebergTable, options: ScanCommandOptions): TableScan {
  if (options.option !== undefined) throw new UsageError('--option is for Paimon tables')
  let scan = table.scan()
  if (options.caseInsensitive) scan = scan.caseInsensitive()
  if (options.snapshot !== undefined) scan = scan.useSnapshot(options.snapshot)
  if (options.ref !== undefined) scan = scan.useRef(options.ref)
  if (options.asOf !== undefined) scan = scan.asOf(options.asOf)
  if (options.splitSize !== undefined) scan = scan.withSplitSize(options.splitSize)
  for (const text of [...(options.where ?? []), ...(options.filter ?? [])]) scan = scan.filter(text)
  if (options.select !== undefined) scan = scan.select(...options.select)
  return scan
}

/** What the options say about reading. */
export function readOptions(options: ScanCommandOptions): { numWorkers?: number; limit?: number } {
  return {
    ...(options.workers !== undefined && { numWorkers: options.workers }),
    ...(options.limit !== undefined && { limit: options.limit }),
  }
}

const append = (text: string, before: string[] = []) => [...before, text]

function parsePair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at <= 0) throw new InvalidArgumentError('It must be two texts with = between.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

function parseWhole(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.')
  return value
}

function parseSnapshot(text: string): string {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('A snapshot id is a whole number.')
  return text
}

function parseTime(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be milliseconds or ISO text.')
  return value
}
