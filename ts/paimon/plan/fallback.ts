import { branchPaths } from '../metadata/branches.js'
import { overlayOptions } from '../metadata/dynamic-options.js'
import { FALLBACK_BRANCH } from '../metadata/options.js'
import { SchemaStore } from '../metadata/schema-store.js'
import { planBatch } from './batch.js'
import { mergeEntries } from './live-entry.js'
import { Plan } from './plan.js'
import { manifestsOf, readEntries } from './read-entries.js'
import { PlanCounts } from './scan-metrics.js'
import type { ScanWish } from './scan-request.js'
import type { Start } from './start.js'
import { TableView } from './table-view.js'

/** The branch that serves partitions which the table lacks; undefined where the options name none. */
export async function fallbackView(
  view: TableView,
  dynamic: ReadonlyMap<string, string>,
): Promise<TableView | undefined> {
  const branch = view.options.get(FALLBACK_BRANCH)
  if (branch === undefined || branch === view.paths.branch) return undefined
  const paths = await branchPaths(view.io, view.paths, branch)
  const schema = await new SchemaStore(view.io, paths).latest()
  if (schema === undefined) return undefined
  const other = TableView.open(view.io, paths, schema, view.rows)
  const options = new Map(dynamic)
  options.delete('scan.fallback-branch')
  overlayOptions(other.options, options)
  return other.withOptions(options)
}

/** A plan of the table, with the splits of the fallback branch for the partitions that the table has no files in. */
export async function planWithFallback(
  view: TableView,
  fallback: TableView,
  wish: ScanWish,
  fallbackWish: ScanWish,
  start: Start,
  counts: PlanCounts,
  signal?: AbortSignal,
): Promise<Plan> {
  const main = await planBatch(view, wish, start, counts, signal)
  const present = await partitionsOf(view, main.snapshotId, signal)
  const rest = await planBatch(
    fallback,
    fallbackWish,
    start,
    counts,
    signal,
    (partition) => !present.has(partition.key),
  )
  return new Plan(main.snapshotId ?? rest.snapshotId, [...main.splits, ...rest.splits], main.watermark)
}

/** All partitions that a snapshot has files in, whatever the filter: a partition comes whole from one branch. */
async function partitionsOf(
  view: TableView,
  id: bigint | undefined,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (id === undefined) return new Set()
  const snapshot = await view.snapshots.byId(id, signal)
  const manifests = await manifestsOf(view, snapshot, 'all', signal)
  const entries = mergeEntries(await readEntries(view, manifests, {}, new PlanCounts(), signal))
  return new Set(entries.map(({ partition }) => partition.key))
}
