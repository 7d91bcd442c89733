import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import { findConsumer } from '../metadata/consumers.js'
import {
  BUCKET,
  CHANGELOG_PRODUCER,
  CONSUMER_ID,
  CONSUMER_IGNORE_PROGRESS,
  NUM_LEVELS,
  NUM_SORTED_RUNS_COMPACTION_TRIGGER,
  SCAN_BOUNDED_WATERMARK,
  SCAN_WATERMARK,
  STREAMING_READ_APPEND_OVERWRITE,
  STREAMING_READ_OVERWRITE,
  STREAMING_READ_SNAPSHOT_DELAY,
} from '../metadata/options.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { withOptionBucket } from '../plan/batch.js'
import type { LevelWish } from '../plan/entry-source.js'
import { findSnapshot } from '../plan/find-snapshot.js'
import { limitSplits } from '../plan/limit.js'
import { EMPTY_PLAN, Plan } from '../plan/plan.js'
import type { PlanCounts } from '../plan/scan-metrics.js'
import { type ScanWish, scanRequest } from '../plan/scan-request.js'
import { SnapshotReader } from '../plan/snapshot-reader.js'
import { epochOfLocal, type Start } from '../plan/start.js'
import type { TableView } from '../plan/table-view.js'

/** Where a stream stands. */
interface Position {
  readonly next: bigint
  /** Planned whole before what follows. */
  readonly full: Snapshot | undefined
  readonly createdSince?: bigint
}

/** Plans a table as it goes on: first where it starts, then each snapshot's changes. One plan at a time. */
export class StreamScanner {
  private next: bigint | undefined
  private ended = false

  constructor(
    private readonly view: TableView,
    private readonly wish: ScanWish,
    private readonly start: Start,
    /** The snapshot to go on with, from a checkpoint. */
    restored: bigint | undefined,
  ) {
    this.next = restored
  }

  /** The snapshot that the next plan begins with: what a checkpoint keeps. */
  get checkpoint(): bigint | undefined {
    return this.next
  }

  /** Goes on with this snapshot; undefined: from where the stream would begin. */
  restore(next: bigint | undefined): void {
    this.next = next
    this.ended = false
  }

  /** The next plan that has splits; an empty one if nothing is new. The position only moves when a plan succeeds. */
  async plan(counts: PlanCounts, signal?: AbortSignal): Promise<Plan> {
    if (this.ended) return EMPTY_PLAN
    let { next } = this
    if (next === undefined) {
      const position = await this.begin(signal)
      if (position === undefined) return EMPTY_PLAN
      next = position.next
      if (position.full !== undefined) {
        const plan = await this.whole(position.full, position.createdSince, counts, signal)
        this.next = next
        if (plan.splits.length > 0) return plan
      }
    }
    for (;;) {
      throwIfAborted(signal)
      const snapshot = await this.at(next, signal)
      if (snapshot === undefined || this.isTooYoung(snapshot)) {
        this.next = next
        return new Plan(undefined, [], undefined, next)
      }
      const bound = this.view.options.get(SCAN_BOUNDED_WATERMARK)
      if (bound !== undefined && snapshot.watermark !== undefined && snapshot.watermark > bound) {
        this.ended = true
        return EMPTY_PLAN
      }
      next += 1n
      const plan = await this.follow(snapshot, counts, signal)
      if (plan !== undefined && plan.splits.length > 0) {
        this.next = next
        return plan
      }
    }
  }

  /** Undefined: the table has no snapshot yet. */
  private async begin(signal?: AbortSignal): Promise<Position | undefined> {
    const { view, start } = this
    const { snapshots, options } = view
    const id = options.get(CONSUMER_ID)
    if (id !== undefined && !options.get(CONSUMER_IGNORE_PROGRESS)) {
      const consumer = await findConsumer(view.io, view.paths, id, signal)
      if (consumer !== undefined) return { next: consumer.nextSnapshot, full: undefined }
    }
    switch (start.kind) {
      case 'latest': {
        const latest = await snapshots.latestId(signal)
        return latest === undefined ? undefined : { next: latest + 1n, full: undefined }
      }
      case 'snapshot': {
        const earliest = await this.earliest(signal)
        return earliest === undefined ? undefined : { next: start.id < earliest ? earliest : start.id, full: undefined }
      }
      case 'timestamp': {
        const before = await snapshots.earlierThanTime(start.millis, signal)
        const earliest = await this.earliest(signal)
        const next = before === undefined ? earliest : before.id + 1n
        return next === undefined ? undefined : { next, full: undefined }
      }
      case 'latest-delta':
      case 'incremental':
      case 'watermark':
        throw new LakefoldError(
          'INVALID_ARGUMENT',
          `${view.paths.root}: a streaming read cannot start with ${start.kind}`,
          {
            context: {
              table: view.paths.root,
              option: start.kind === 'watermark' ? SCAN_WATERMARK.key : 'scan.mode',
              value: start.kind,
            },
          },
        )
      case 'file-creation-time':
      case 'creation-time': {
        const full = await snapshots.latest(signal)
        const createdSince = start.millis + (start.millis - epochOfLocal(start.millis))
        return full === undefined ? undefined : { next: full.id + 1n, full, createdSince }
      }
      default: {
        const full = await findSnapshot(view, start, signal)
        return full === undefined ? undefined : { next: full.id + 1n, full }
      }
    }
  }

  private async whole(
    snapshot: Snapshot,
    createdSince: bigint | undefined,
    counts: PlanCounts,
    signal?: AbortSignal,
  ): Promise<Plan> {
    const reader = this.reader(counts, signal, createdSince)
    const splits = limitSplits(await reader.splits(snapshot, 'all', this.firstLevels()), reader.request)
    return new Plan(snapshot.id, splits, snapshot.watermark, snapshot.id + 1n)
  }

  /** Which levels the first plan sees: what is in lower ones will come as changes. */
  private firstLevels(): LevelWish {
    const { options, schema } = this.view
    if (!schema.hasPrimaryKey) return {}
    switch (options.get(CHANGELOG_PRODUCER)) {
      case 'lookup':
        return { ...this.bucketsSeen(), level: (level) => level > 0, minLevel: 1 }
      case 'full-compaction': {
        const top = (options.get(NUM_LEVELS) ?? options.get(NUM_SORTED_RUNS_COMPACTION_TRIGGER) + 1) - 1
        return { ...this.bucketsSeen(), level: (level) => level === top, minLevel: top }
      }
      default:
        return this.bucketsSeen()
    }
  }

  /** Rows that wait for a bucket of their own are streamed as they come, unless a changelog will tell of them. */
  private bucketsSeen(): LevelWish {
    const { options } = this.view
    return { onlyRealBuckets: options.get(BUCKET) === -2 && options.get(CHANGELOG_PRODUCER) !== 'none' }
  }

  /** The plan of what a snapshot changed; undefined where its kind brings nothing. */
  private async follow(snapshot: Snapshot, counts: PlanCounts, signal?: AbortSignal): Promise<Plan | undefined> {
    const { options, schema } = this.view
    const producer = options.get(CHANGELOG_PRODUCER)
    const reader = this.reader(counts, signal)
    const planned = async (mode: 'delta' | 'changelog'): Promise<Plan> =>
      new Plan(
        snapshot.id,
        await reader.splits(snapshot, mode, this.bucketsSeen()),
        snapshot.watermark,
        snapshot.id + 1n,
      )
    if (snapshot.commitKind === 'OVERWRITE') {
      if (!schema.hasPrimaryKey) return options.get(STREAMING_READ_APPEND_OVERWRITE) ? planned('delta') : undefined
      if (!options.get(STREAMING_READ_OVERWRITE)) return undefined
      return new Plan(snapshot.id, await reader.replaced(snapshot), snapshot.watermark, snapshot.id + 1n)
    }
    if (producer === 'none') return snapshot.commitKind === 'APPEND' ? planned('delta') : undefined
    return snapshot.changelogManifestList === undefined ? undefined : planned('changelog')
  }

  private reader(counts: PlanCounts, signal: AbortSignal | undefined, createdSince?: bigint): SnapshotReader {
    const request = scanRequest(this.view, withOptionBucket(this.view, this.wish), { createdSince })
    return new SnapshotReader(this.view, request, counts, signal)
  }

  /** The snapshot, or the changelog that outlived it; undefined if it is not there yet, UNKNOWN_SNAPSHOT if it has expired. */
  private async at(id: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
    const { snapshots } = this.view
    const found = (await snapshots.find(id, signal)) ?? (await snapshots.findChangelog(id, signal))
    if (found !== undefined) return found
    const earliest = await this.earliest(signal)
    if (earliest === undefined || id >= earliest) return undefined
    return snapshots.byId(id, signal)
  }

  private async earliest(signal?: AbortSignal): Promise<bigint | undefined> {
    const { snapshots } = this.view
    const [snapshot, changelog] = await Promise.all([
      snapshots.earliestId(signal),
      snapshots.earliestChangelogId(signal),
    ])
    if (snapshot === undefined || changelog === undefined) return snapshot ?? changelog
    return snapshot < changelog ? snapshot : changelog
  }

  private isTooYoung(snapshot: Snapshot): boolean {
    const delay = this.view.options.get(STREAMING_READ_SNAPSHOT_DELAY)
    return delay !== undefined && Date.now() - Number(snapshot.timeMillis) < delay
  }
}
