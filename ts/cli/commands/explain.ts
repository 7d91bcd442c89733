import { Command } from 'commander'

import { stringifyJson } from '../../base/json.js'
import type { Dropped, ScanExplanation } from '../../index.js'
import { PaimonScan } from '../../paimon/index.js'
import type { JsonValue } from '../../types/types.js'
import { explainPaimon } from '../paimon/explain.js'
import { openFor, type ScanCommandOptions, scanFor, withScan } from '../table-options.js'

/** `lakefold explain`: what each prune saw, what it dropped, and why. */
export function explainCommand(): Command {
  return withScan(new Command('explain'))
    .description('show what planning dropped, and why')
    .option('--json', 'the whole report as JSON')
    .action(async (location: string, options: ScanCommandOptions & { json?: boolean }) => {
      const scan = await scanFor(await openFor(location, options), options)
      const text =
        scan instanceof PaimonScan
          ? await explainPaimon(scan, options.json === true)
          : explained(await scan.explain(), options.json === true)
      process.stdout.write(`${text}\n`)
    })
}

function explained(report: ScanExplanation, json: boolean): string {
  return json ? stringifyJson(report as unknown as JsonValue) : describe(report).join('\n')
}

function describe(report: ScanExplanation): string[] {
  const m = report.metrics
  const sum = (part: 'data' | 'delete') => {
    const [scanned, total] = [m[`scanned-${part}-manifests`], m[`total-${part}-manifests`]]
    return `${part} manifests: ${total} in the list, ${m[`skipped-${part}-manifests`]} dropped, ${scanned} read`
  }
  const stages = new Map<string, Dropped[]>()
  for (const dropped of report.dropped) {
    const stage = `${dropped.stage} dropped ${dropped.kind}`
    const known = stages.get(stage)
    if (known === undefined) stages.set(stage, [dropped])
    else known.push(dropped)
  }
  return [
    `table ${report.tableLocation}`,
    `snapshot ${report.snapshotId ?? 'none'}, schema ${report.schemaId}`,
    `filter ${report.filter}`,
    sum('data'),
    sum('delete'),
    `data files: ${m['skipped-data-files']} dropped, ${m['result-data-files']} to read, ${m['total-file-size-in-bytes']} bytes`,
    `delete files: ${m['indexed-delete-files']} indexed, ${m['result-delete-files']} applied, of them ${m.dvs} vectors indexed`,
    ...[...stages].flatMap(([stage, dropped]) => [
      `${stage} (${dropped.length}):`,
      ...dropped.map((d) => `  ${d.path}${d.why.length > 0 ? `: ${d.why.join(' and ')}` : ''}`),
    ]),
  ]
}
