import type { PaimonScan, PaimonTable } from '../../paimon/index.js'
import type { ScanCommandOptions } from '../table-options.js'
import { branchNames, tagSnapshots } from './refs.js'

/** The scan of a Paimon table that the options describe. */
export async function paimonScan(table: PaimonTable, options: ScanCommandOptions): Promise<PaimonScan> {
  let scan = table.scan()
  if (options.caseInsensitive) scan = scan.caseInsensitive()
  if (options.snapshot !== undefined) scan = scan.snapshotId(options.snapshot)
  if (options.ref !== undefined) scan = await atRef(table, scan, options.ref)
  if (options.asOf !== undefined) scan = scan.asOf(options.asOf)
  if (options.splitSize !== undefined) scan = scan.option('source.split.target-size', `${options.splitSize} b`)
  for (const [key, value] of Object.entries(options.option ?? {})) scan = scan.option(key, value)
  for (const text of [...(options.where ?? []), ...(options.filter ?? [])]) scan = scan.filter(text)
  if (options.select !== undefined) scan = scan.select(...options.select)
  return options.limit === undefined ? scan : scan.limit(options.limit)
}

/** A branch, unless a tag has the name: a branch can be named in the table, as `t$branch_b`. */
async function atRef(table: PaimonTable, scan: PaimonScan, name: string): Promise<PaimonScan> {
  if ((await tagSnapshots(table)).has(name)) return scan.tag(name)
  return name === 'main' || (await branchNames(table)).includes(name) ? scan.branch(name) : scan.tag(name)
}
