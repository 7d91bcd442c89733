import { Command } from 'commander'

import type { Schema, TableScan } from '../../index.js'
import { type FormatOptions, formatOf, withFormat } from '../output/format-option.js'
import type { RowFormat } from '../output/row-writer.js'
import { writeArrow } from '../output/write-arrow.js'
import { writeBatches } from '../output/write-batches.js'
import { ProgressLine } from '../progress.js'
import { UsageError } from '../report-error.js'
import { openFor, readOptions, type ScanCommandOptions, scanFor, withScan } from '../table-options.js'

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
      await readRows(scanFor(await openFor(location, options), options), format, options)
    })
}

async function readRows(scan: TableScan, format: RowFormat | 'arrow' | 'parquet', options: Options): Promise<void> {
  let line: ProgressLine | undefined
  const reader = await scan.toBatchReader({ ...readOptions(options), onProgress: (p) => line?.update(p) })
  line = new ProgressLine(reader.numTasks())
  try {
    if (format === 'parquet') {
      await reader.writeParquet(options.out as string)
    } else if (format === 'arrow') {
      await writeArrow(reader.schema, reader, options.out)
    } else {
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

function uuidFields(schema: Schema): Set<string> {
  const uuids = [...schema.columns()].filter(({ field }) => field.type.kind === 'uuid')
  return new Set(uuids.map(({ field }) => String(field.id)))
}
