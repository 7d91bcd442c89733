import { Command } from 'commander'

import type { FileScanTask } from '../../index.js'
import { formatOf, withFormat } from '../output/format-option.js'
import { type RowFormat, rowWriter } from '../output/row-writer.js'
import { Sink } from '../output/sink.js'
import { icebergScan, type ScanCommandOptions, withScan } from '../table-options.js'

const COLUMNS = ['path', 'start', 'length', 'records', 'deletes', 'spec', 'sequence', 'residual']

/** `lakefold plan`: the tasks of a scan, in order; with --json the plan document. */
export function planCommand(): Command {
  return withFormat(withScan(new Command('plan')))
    .description('show the files that a scan would read')
    .action(
      async (location: string, options: ScanCommandOptions & { format?: RowFormat; json?: boolean; out?: string }) => {
        const scan = await icebergScan('plan', location, options)
        const sink = new Sink(options.out)
        const format = formatOf(options)
        if (format === 'json') {
          await sink.write(`${await scan.planFilesJson({ full: true })}\n`)
        } else {
          const writer = rowWriter(format)
          await sink.write(writer.header(COLUMNS))
          for await (const task of scan.tasks()) await sink.write(writer.row(taskRow(task)))
          await sink.write(writer.end())
        }
        await sink.end()
      },
    )
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
