import { stringifyJson } from '../../base/json.js'
import { DataSplit, type PaimonScan } from '../../paimon/index.js'

/** What planning a Paimon scan saw and left out, in numbers. */
export async function explainPaimon(scan: PaimonScan, json: boolean): Promise<string> {
  const planner = await scan.toTableScan()
  const { snapshotId, splits } = await planner.createPlan()
  const { lastScannedManifests, lastScanSkippedTableFiles, lastScanResultedTableFiles } = planner.getMetrics()
  const raw = splits.filter((split) => !(split instanceof DataSplit) || split.rawConvertible).length
  const { schema } = planner
  const facts = {
    table: scan.location,
    'snapshot-id': snapshotId ?? null,
    'schema-id': schema.id,
    filter: planner.filterText,
    'manifests-read': lastScannedManifests,
    'files-skipped': lastScanSkippedTableFiles,
    'files-to-read': lastScanResultedTableFiles,
    splits: splits.length,
    'splits-merged': splits.length - raw,
  }
  if (json) return stringifyJson(facts)
  return [
    `table ${facts.table}`,
    `snapshot ${snapshotId ?? 'none'}, schema ${schema.id}`,
    `filter ${facts.filter}`,
    `manifests: ${lastScannedManifests} read`,
    `data files: ${lastScanSkippedTableFiles} dropped, ${lastScanResultedTableFiles} to read`,
    `splits: ${splits.length}, of them ${splits.length - raw} merged by key, ${raw} read as they lie`,
  ].join('\n')
}
