import { Command } from 'commander'

import { openFor, readOptions, type ScanCommandOptions, scanFor, withScan } from '../table-options.js'

/** `lakefold count`: how many rows; data files are opened only where the metadata cannot tell. */
export function countCommand(): Command {
  return withScan(new Command('count'))
    .description('count rows')
    .option('--json', 'the count as JSON')
    .action(async (location: string, options: ScanCommandOptions & { json?: boolean }) => {
      const scan = await scanFor(await openFor(location, options), options)
      const rows = await scan.count(readOptions(options))
      process.stdout.write(options.json ? `{"count":${rows}}\n` : `${rows}\n`)
    })
}
