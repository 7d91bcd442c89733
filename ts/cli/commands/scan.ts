import { Command } from 'commander'

import type { Schema, TableScan } from '../../index.js'
import { type PaimonScan, SystemTable } from '../../paimon/index.js'
import { type FormatOptions, formatOf, withFormat } from '../output/format-option.js'
import type { RowFormat } from '../output/row-writer.js'
import { ProgressLine } from '../progress.js'
import { UsageError } from '../report-error.js'
import { openAny, readOptions, type ScanCommandOptions, scanFor, withScan } from '../table-options.js'

type Options = ScanCommandOptions & FormatOptions<RowFormat | 'arrow' | 'parquet'>

/** `lakefold scan`: the rows of a table. */
export function scanCommand(): Command {
  return withFormat(withScan(new Command('scan')), ['arrow', 'parquet'])
    .description('read rows')
    .action(async (location: string, options: Options) => {
      const format = formatOf(options)
      if (format === 'parquet' && options.out === undefined) throw new UsageError('--format parquet needs --out')
      if (format === 'arrow' && options.out === undefined && process.stdout.isTTY) {
        throw new UsageError('--format arrow is binary: give --out, or pipe it')
      }
      const table = await openAny(location, options)
      if (table instanceof SystemTable) await readSystemTable(table, format, options)
      else await readRows(await scanFor(table, options), format, options)
    })
}

async function readRows(
  scan: TableScan | PaimonScan,
  format: RowFormat | 'arrow' | 'parquet',
  options: Options,
): Promise<void> {
  let line: ProgressLine | undefined
  const reader = await scan.toBatchReader({ ...readOptions(options), onProgress: (p) => line?.update(p) })
  line = new ProgressLine(reader.numTasks())
  try {
    if (format === 'parquet') {
      await reader.writeParquet(options.out as string)
    } else if (format === 'arrow') {
      const { writeArrow } = await import('../output/write-arrow.js')
      await writeArrow(reader.schema, reader, options.out)
    } else {
      const { writeBatches } = await import('../output/write-batches.js')
      const columns = reader.schema.fields.map((field) => field.name)
      // Paimon has no uuids, and its scans no schema of their own.
      const uuids = 'schema' in scan ? uuidFields(scan.schema()) : new Set<string>()
      await writeBatches(columns, reader, format, options.out, uuids)
    }
  } finally {
    line.clear()
    await reader.close()
  }
}

async function readSystemTable(
  table: SystemTable,
  format: RowFormat | 'arrow' | 'parquet',
  options: Options,
): Promise<void> {
  const { where, filter, ref, asOf, splitSize, caseInsensitive, option, workers } = options
  if (format === 'parquet' || [where, filter, ref, asOf, splitSize, caseInsensitive, option, workers].some(isGiven)) {
    throw new UsageError('of a system table only --select, --snapshot and --limit can be asked, and no Parquet')
  }
  const all = await table.toTable(options.snapshot === undefined ? {} : { snapshotId: BigInt(options.snapshot) })
  const rows = (options.select === undefined ? all : all.select(options.select)).slice(0, options.limit)
  if (format === 'arrow') {
    const { writeArrow } = await import('../output/write-arrow.js')
    return writeArrow(rows.schema, rows.batches, options.out)
  }
  const { writeBatches } = await import('../output/write-batches.js')
  const columns = rows.schema.fields.map((field) => field.name)
  await writeBatches(columns, rows.batches, format, options.out)
}

const isGiven = (value: unknown) => value !== undefined

function uuidFields(schema: Schema): Set<string> {
  const uuids = [...schema.columns()].filter(({ field }) => field.type.kind === 'uuid')
  return new Set(uuids.map(({ field }) => String(field.id)))
}
