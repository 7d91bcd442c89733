import { mayLackRows } from '../metadata/ignored-files.js'
import { BUCKET, SCAN_BUCKET } from '../metadata/options.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { LevelWish } from './entry-source.js'
import { findSnapshot } from './find-snapshot.js'
import { planIncremental } from './incremental.js'
import { limitSplits } from './limit.js'
import type { Partition } from './partitions.js'
import { EMPTY_PLAN, Plan } from './plan.js'
import type { PlanCounts } from './scan-metrics.js'
import { type ScanWish, scanRequest } from './scan-request.js'
import { SnapshotReader } from './snapshot-reader.js'
import { readsWithoutMerging } from './split-generator.js'
import { epochOfLocal, type Start } from './start.js'
import type { TableView } from './table-view.js'

/** Which levels a batch read sees: what waits to be merged into the levels above is hidden where those are read as they are. */
function batchLevels({ schema }: TableView): LevelWish {
  const postponed = schema.options.get(BUCKET) === -2
  const skip = schema.hasPrimaryKey && readsWithoutMerging(schema)
  return {
    ...(skip ? { level: (level: number) => level > 0, minLevel: 1, forceValues: true } : {}),
    ...(postponed ? { onlyRealBuckets: true } : {}),
  }
}

/** The wish with the bucket that the options name, if it names none. */
export function withOptionBucket(view: TableView, wish: ScanWish): ScanWish {
  const bucket = wish.bucket ?? view.options.get(SCAN_BUCKET)
  return bucket === wish.bucket ? wish : { ...wish, bucket }
}

/** Plans the state at a start, or what changed in a range. `also` narrows the partitions. */
export async function planBatch(
  view: TableView,
  wish: ScanWish,
  start: Start,
  counts: PlanCounts,
  signal?: AbortSignal,
  also?: (partition: Partition) => boolean,
): Promise<Plan> {
  const createdSince = await creationStart(view, start, signal)
  const request = scanRequest(view, withOptionBucket(view, wish), {
    createdSince,
    ...(also === undefined ? {} : { also }),
  })
  const reader = new SnapshotReader(view, request, counts, signal)
  if (start.kind === 'incremental') return planIncremental(reader, batchLevels(view), signal)
  const snapshot = await findSnapshot(view, start, signal)
  if (snapshot === undefined) return EMPTY_PLAN
  const mode = start.kind === 'latest-delta' ? 'delta' : 'all'
  const levels = batchLevels(view)
  // What a snapshot brought lies in level 0.
  const { onlyRealBuckets = false } = levels
  const splits = await reader.splits(snapshot, mode, mode === 'all' ? levels : { onlyRealBuckets })
  return new Plan(snapshot.id, mayLackRows(view) ? splits : limitSplits(splits, request), snapshot.watermark)
}

/** Files count by the wall clock of their writer. */
async function creationStart(view: TableView, start: Start, signal?: AbortSignal): Promise<bigint | undefined> {
  if (start.kind !== 'file-creation-time' && start.kind !== 'creation-time') return undefined
  if (start.kind === 'creation-time' && (await snapshotAfter(view, start.millis, signal)) !== undefined)
    return undefined
  // The offset of then, so that local times compare with local times.
  return start.millis + (start.millis - epochOfLocal(start.millis))
}

/** The snapshot that followed the newest one before a time, if both are there. */
async function snapshotAfter(view: TableView, millis: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
  const before = await view.snapshots.earlierThanTime(millis, signal)
  return before === undefined ? undefined : view.snapshots.find(before.id + 1n, signal)
}
