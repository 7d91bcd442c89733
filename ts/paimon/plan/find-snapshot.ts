import { LakefoldError } from '../../base/errors.js'
import { FULL_COMPACTION_DELTA_COMMITS } from '../metadata/options.js'
import { BATCH_COMMIT_IDENTIFIER, type Snapshot } from '../metadata/snapshot.js'
import { findTag, readTag } from '../metadata/tags.js'
import type { Start } from './start.js'
import type { TableView } from './table-view.js'

/**
 * The snapshot that a start names, for a read of its whole state; undefined in a table without snapshots where none is named.
 * UNKNOWN_SNAPSHOT or UNKNOWN_REF telling what there is.
 */
export async function findSnapshot(view: TableView, start: Start, signal?: AbortSignal): Promise<Snapshot | undefined> {
  const { snapshots } = view
  switch (start.kind) {
    case 'snapshot':
    case 'snapshot-full':
      return snapshots.byId(start.id, signal)
    case 'tag':
      return (await readTag(view.io, view.paths, start.name, signal)).snapshot
    case 'version':
      return version(view, start.name, signal)
    case 'watermark':
      return byWatermark(view, start.watermark, signal)
    case 'timestamp':
      return byTime(view, start.millis, signal)
    case 'compacted-full':
      return (await newestCompacted(view, signal)) ?? snapshots.latest(signal)
    default:
      return snapshots.latest(signal)
  }
}

/** A tag of that name wins over a snapshot of that id. */
async function version(view: TableView, name: string, signal?: AbortSignal): Promise<Snapshot> {
  const tag = name === '' || name.includes('/') ? undefined : await findTag(view.io, view.paths, name, signal)
  if (tag !== undefined) return tag.snapshot
  const watermark = /^watermark-(\d{1,18})$/.exec(name)?.[1]
  if (watermark !== undefined) return byWatermark(view, BigInt(watermark), signal)
  if (/^\d{1,18}$/.test(name)) return view.snapshots.byId(BigInt(name), signal)
  return (await readTag(view.io, view.paths, name, signal)).snapshot
}

async function byWatermark(view: TableView, watermark: bigint, signal?: AbortSignal): Promise<Snapshot> {
  const found = await view.snapshots.laterOrEqualWatermark(watermark, signal)
  if (found !== undefined) return found
  throw new LakefoldError(
    'UNKNOWN_SNAPSHOT',
    `${view.paths.branchRoot}: no snapshot has a watermark of ${watermark} or later`,
    {
      context: { table: view.paths.root, watermark },
    },
  )
}

async function byTime(view: TableView, millis: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
  const found = await view.snapshots.earlierOrEqualTime(millis, signal)
  if (found !== undefined) return found
  const earliest = await view.snapshots.earliest(signal)
  const known = earliest === undefined ? 'the table has no snapshots' : `the earliest is of ${earliest.timeMillis}`
  throw new LakefoldError(
    'UNKNOWN_SNAPSHOT',
    `${view.paths.branchRoot}: no snapshot is as old as ${millis}: ${known}`,
    {
      context: { table: view.paths.root, timestampMillis: millis, earliest: earliest?.timeMillis },
    },
  )
}

/** The newest snapshot of a compaction, of a full one where the table tells them apart. */
async function newestCompacted(view: TableView, signal?: AbortSignal): Promise<Snapshot | undefined> {
  const every = view.options.get(FULL_COMPACTION_DELTA_COMMITS)
  const { earliest, latest } = await view.snapshots.range(signal)
  if (earliest === undefined || latest === undefined) return undefined
  for (let id = latest; id >= earliest; id--) {
    const snapshot = await view.snapshots.find(id, signal)
    if (snapshot?.commitKind !== 'COMPACT') continue
    const { commitIdentifier: commit } = snapshot
    if (every === undefined || commit === BATCH_COMMIT_IDENTIFIER || commit % BigInt(every) === 0n) return snapshot
  }
  return undefined
}
