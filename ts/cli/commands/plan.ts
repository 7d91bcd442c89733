import { Command } from 'commander'

import type { FileScanTask, TableScan } from '../../index.js'
import { PaimonScan } from '../../paimon/index.js'
import { formatOf, withFormat } from '../output/format-option.js'
import { type RowFormat, rowWriter } from '../output/row-writer.js'
import { Sink } from '../output/sink.js'
import { writePaimonPlan } from '../paimon/plan.js'
import { openFor, type ScanCommandOptions, scanFor, withScan } from '../table-options.js'

const COLUMNS = ['path', 'start', 'length', 'records', 'deletes', 'spec', 'sequence', 'residual']

type Options = ScanCommandOptions & { format?: RowFormat; json?: boolean; out?: string }

/** `lakefold plan`: what a scan reads, in order: tasks, or the splits of a Paimon table; with --json the plan document. */
export function planCommand(): Command {
  return withFormat(withScan(new Command('plan')))
    .description('show the files that a scan would read')
    .action(async (location: string, options: Options) => {
      const scan = await scanFor(await openFor(location, options), options)
      const format = formatOf(options)
      if (scan instanceof PaimonScan) await writePaimonPlan(scan, format, options.out)
      else await writeTasks(scan, format, options.out)
    })
}

async function writeTasks(scan: TableScan, format: RowFormat, out: string | undefined): Promise<void> {
  const sink = new Sink(out)
  if (format === 'json') {
    await sink.write(`${await scan.planFilesJson({ full: true })}\n`)
  } else {
    const writer = rowWriter(format)
    await sink.write(writer.header(COLUMNS))
    for await (const task of scan.tasks()) await sink.write(writer.row(taskRow(task)))
    await sink.write(writer.end())
  }
  await sink.end()
}

const taskRow = (task: FileScanTask) => [
  task.dataFile.path,
  task.start,
  task.length,
  task.dataFile.recordCount,
  task.deleteFiles.length,
  task.specId,
  task.dataSequenceNumber,
  task.residual,
]
