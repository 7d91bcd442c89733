import { LakefoldError } from '../../base/errors.js'
import {
  CHANGELOG_PRODUCER,
  INCREMENTAL_BETWEEN,
  INCREMENTAL_BETWEEN_SCAN_MODE,
  INCREMENTAL_BETWEEN_TAG_TO_SNAPSHOT,
  INCREMENTAL_BETWEEN_TIMESTAMP,
  INCREMENTAL_TO_AUTO_TAG,
} from '../metadata/options.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { findTag, listTags, readTag } from '../metadata/tags.js'
import type { LevelWish } from './entry-source.js'
import type { FileEntry } from './live-entry.js'
import { EMPTY_PLAN, Plan } from './plan.js'
import type { SnapshotReader } from './snapshot-reader.js'
import type { TableView } from './table-view.js'

/** What a difference is between: snapshot ids, the first exclusive, or the states of two snapshots. */
type Range =
  | { readonly kind: 'ids'; readonly from: bigint; readonly to: bigint }
  | { readonly kind: 'states'; readonly from: Snapshot; readonly to: Snapshot }
  | undefined

/** Plans what changed between two points, as the options say. */
export async function planIncremental(reader: SnapshotReader, levels: LevelWish, signal?: AbortSignal): Promise<Plan> {
  const { view } = reader
  const mode = view.options.get(INCREMENTAL_BETWEEN_SCAN_MODE)
  const range = await findRange(view, signal)
  if (range === undefined) return EMPTY_PLAN
  if (range.kind === 'states') return difference(reader, range.from, range.to, levels)
  const { from, to } = range
  if (from === to) return EMPTY_PLAN
  if (mode === 'diff') {
    const before = await view.snapshots.byId(from, signal)
    return difference(reader, before, await view.snapshots.byId(to, signal), levels)
  }
  const changelog = mode === 'changelog' || (mode === 'auto' && view.options.get(CHANGELOG_PRODUCER) !== 'none')
  return changes(reader, { from, to, changelog, onlyRealBuckets: levels.onlyRealBuckets === true }, signal)
}

async function difference(reader: SnapshotReader, from: Snapshot, to: Snapshot, levels: LevelWish): Promise<Plan> {
  const splits = await reader.difference(from, to, levels)
  return new Plan(to.id, splits, to.watermark)
}

/** The files that snapshots added, or their changelogs. Compactions add nothing new, and what an OVERWRITE replaced is no change. */
async function changes(
  reader: SnapshotReader,
  asked: { readonly from: bigint; readonly to: bigint; readonly changelog: boolean; readonly onlyRealBuckets: boolean },
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const { from, to, changelog, onlyRealBuckets } = asked
  const entries: FileEntry[] = []
  let last: Snapshot | undefined
  for (let id = from + 1n; id <= to; id++) {
    const snapshot = await reader.view.snapshots.byId(id, signal)
    last = snapshot
    const wanted = changelog ? snapshot.commitKind !== 'OVERWRITE' : snapshot.commitKind === 'APPEND'
    if (wanted)
      entries.push(...(await reader.entries(snapshot, changelog ? 'changelog' : 'delta', { onlyRealBuckets })))
  }
  return new Plan(
    to,
    reader.cut(entries, to, { streaming: true, batchCuts: true, deletions: undefined }),
    last?.watermark,
  )
}

async function findRange(view: TableView, signal?: AbortSignal): Promise<Range> {
  const { options } = view
  const autoTag = options.get(INCREMENTAL_TO_AUTO_TAG)
  if (autoTag !== undefined) return toTag(view, autoTag, signal)
  const times = options.get(INCREMENTAL_BETWEEN_TIMESTAMP)
  if (times !== undefined) return betweenTimes(view, times, signal)
  const text = options.get(INCREMENTAL_BETWEEN) ?? ''
  const [from, to] = pair(view, text, INCREMENTAL_BETWEEN.key)
  if (/^\d{1,18}$/.test(from) && /^\d{1,18}$/.test(to)) return ids(view, BigInt(from), BigInt(to), signal)
  const [start, end] = [
    await readTag(view.io, view.paths, from, signal),
    await readTag(view.io, view.paths, to, signal),
  ]
  if (start.snapshot.id > end.snapshot.id) throw backwards(view, from, to)
  if (options.get(INCREMENTAL_BETWEEN_TAG_TO_SNAPSHOT)) return ids(view, start.snapshot.id, end.snapshot.id, signal)
  const mode = options.get(INCREMENTAL_BETWEEN_SCAN_MODE)
  if (mode === 'delta' || mode === 'changelog') return ids(view, start.snapshot.id, end.snapshot.id, signal)
  return { kind: 'states', from: start.snapshot, to: end.snapshot }
}

async function ids(view: TableView, from: bigint, to: bigint, signal?: AbortSignal): Promise<Range> {
  if (from > to) throw backwards(view, String(from), String(to))
  const { earliest, latest } = await view.snapshots.range(signal)
  if (earliest === undefined || latest === undefined) return undefined
  if (from >= earliest - 1n && to <= latest) return { kind: 'ids', from, to }
  throw new LakefoldError(
    'UNKNOWN_SNAPSHOT',
    `${view.paths.branchRoot}: snapshots ${from} to ${to} are not all there, only ${earliest} to ${latest}`,
    { context: { table: view.paths.root, from, to, earliest, latest, expired: from < earliest - 1n } },
  )
}

/** Times that lie before the first snapshot begin with it; those after the last end with it. */
async function betweenTimes(view: TableView, text: string, signal?: AbortSignal): Promise<Range> {
  const [from, to] = pair(view, text, INCREMENTAL_BETWEEN_TIMESTAMP.key)
  if (!/^-?\d{1,18}$/.test(from) || !/^-?\d{1,18}$/.test(to))
    throw malformed(view, INCREMENTAL_BETWEEN_TIMESTAMP.key, text)
  if (BigInt(from) > BigInt(to)) throw backwards(view, from, to)
  const earliest = await view.snapshots.earliestId(signal)
  if (earliest === undefined) return undefined
  const start = await view.snapshots.earlierOrEqualTime(BigInt(from), signal)
  const end = await view.snapshots.earlierOrEqualTime(BigInt(to), signal)
  if (end === undefined) return undefined
  return { kind: 'ids', from: start?.id ?? earliest - 1n, to: end.id }
}

/** From the tag before to this one; nothing if either is not there. */
async function toTag(view: TableView, name: string, signal?: AbortSignal): Promise<Range> {
  const to = await findTag(view.io, view.paths, name, signal)
  if (to === undefined) return undefined
  let from: Snapshot | undefined
  for (const other of await listTags(view.io, view.paths)) {
    const tag = other < name ? await findTag(view.io, view.paths, other, signal) : undefined
    if (tag !== undefined && tag.snapshot.id < to.snapshot.id && tag.snapshot.id >= (from?.id ?? 0n))
      from = tag.snapshot
  }
  return from === undefined ? undefined : { kind: 'states', from, to: to.snapshot }
}

function pair(view: TableView, text: string, option: string): readonly [string, string] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length !== 2 || parts.includes('')) throw malformed(view, option, text)
  return parts as unknown as readonly [string, string]
}

function malformed(view: TableView, option: string, value: string): LakefoldError {
  return new LakefoldError(
    'INVALID_ARGUMENT',
    `${view.options.source}: option "${option}" must be a start and an end, such as "5,10", not "${value}"`,
    { context: { option, value } },
  )
}

function backwards(view: TableView, from: string, to: string): LakefoldError {
  return new LakefoldError(
    'INVALID_ARGUMENT',
    `${view.paths.branchRoot}: the range from ${from} to ${to} runs backwards`,
    {
      context: { table: view.paths.root, from, to },
    },
  )
}
