import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'
import { byOrder } from '../../types/compare.js'
import { NumberedFiles } from './hints.js'
import { ifThere, type TablePaths } from './paths.js'
import { parseSnapshot, type Snapshot } from './snapshot.js'

/** The first and last snapshot ids that are there; both undefined in a table without snapshots. */
export interface SnapshotRange {
  readonly earliest: bigint | undefined
  readonly latest: bigint | undefined
}

/** Expiry may run while we look: so often the range is looked up anew. */
const TRIES = 3

/**
 * The snapshots of one branch. A snapshot file never changes, so that those read are kept; which ids there are is looked up each time.
 * Errors name the file: UNKNOWN_SNAPSHOT for an id that has expired or is not there yet, CORRUPT_FILE for a file that cannot be read.
 */
export class SnapshotStore {
  private readonly files: NumberedFiles
  /** Changelogs that outlive their snapshots. */
  private readonly changelogs: NumberedFiles
  private readonly read = new Map<string, Snapshot>()

  constructor(
    private readonly io: FileIO,
    readonly paths: TablePaths,
  ) {
    this.files = new NumberedFiles(io, paths.snapshotFolder, 'snapshot-')
    this.changelogs = new NumberedFiles(io, paths.changelogFolder, 'changelog-')
  }

  latestId(signal?: AbortSignal): Promise<bigint | undefined> {
    return this.files.latest(signal)
  }

  earliestId(signal?: AbortSignal): Promise<bigint | undefined> {
    return this.files.earliest(signal)
  }

  async range(signal?: AbortSignal): Promise<SnapshotRange> {
    const [earliest, latest] = await Promise.all([this.earliestId(signal), this.latestId(signal)])
    return { earliest, latest }
  }

  /** The newest snapshot; undefined in a table without any. */
  latest(signal?: AbortSignal): Promise<Snapshot | undefined> {
    return this.retried(() => this.latestId(signal), signal)
  }

  /** The oldest snapshot that has not expired; undefined in a table without any. */
  earliest(signal?: AbortSignal): Promise<Snapshot | undefined> {
    return this.retried(() => this.earliestId(signal), signal)
  }

  private async retried(
    find: () => Promise<bigint | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Snapshot | undefined> {
    for (let tries = 1; ; tries++) {
      const id = await find()
      if (id === undefined) return undefined
      const snapshot = await this.find(id, signal)
      if (snapshot !== undefined) return snapshot
      if (tries === TRIES) return this.byId(id, signal)
    }
  }

  /** The snapshot with this id, or undefined if its file is not there. */
  find(id: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
    return this.load(this.files.location(id), id, signal)
  }

  /** The snapshot with this id; UNKNOWN_SNAPSHOT that tells the ids there are, and whether it has expired, if it is not there. */
  async byId(id: bigint, signal?: AbortSignal): Promise<Snapshot> {
    const found = await this.find(id, signal)
    if (found !== undefined) return found
    const file = this.files.location(id)
    const { earliest, latest } = await this.range(signal)
    const expired = earliest !== undefined && id > 0n && id < earliest
    const what =
      earliest === undefined
        ? 'the table has no snapshots'
        : `${expired ? 'it has expired' : 'it is not there'}; there are ${earliest} to ${latest}`
    throw new LakefoldError('UNKNOWN_SNAPSHOT', `${file}: no snapshot ${id}: ${what}`, {
      context: { file, snapshotId: id, earliest, latest, expired },
    })
  }

  /** The separate changelog with this id, or undefined if there is none. */
  findChangelog(id: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
    return this.load(this.changelogs.location(id), id, signal)
  }

  /** The first id of the separate changelogs; undefined if there are none. */
  earliestChangelogId(signal?: AbortSignal): Promise<bigint | undefined> {
    return this.changelogs.earliest(signal)
  }

  latestChangelogId(signal?: AbortSignal): Promise<bigint | undefined> {
    return this.changelogs.latest(signal)
  }

  /** All snapshots that are there, oldest first; those that expire meanwhile are left out. */
  async *all(signal?: AbortSignal): AsyncGenerator<Snapshot> {
    for (const id of await this.files.list()) {
      const snapshot = await this.find(id, signal)
      if (snapshot !== undefined) yield snapshot
    }
  }

  /** All separate changelogs, oldest first. */
  async *allChangelogs(signal?: AbortSignal): AsyncGenerator<Snapshot> {
    for (const id of await this.changelogs.list()) {
      const changelog = await this.findChangelog(id, signal)
      if (changelog !== undefined) yield changelog
    }
  }

  /** The newest snapshot whose time is not after `timeMillis`, or {@link bisect one of those of this time}; undefined if all are later. */
  async earlierOrEqualTime(timeMillis: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
    const { equal, before } = await this.bisect((snapshot) => byOrder(snapshot.timeMillis, timeMillis), signal)
    return equal ?? before
  }

  /** The newest snapshot whose time is before `timeMillis`; undefined if none is. */
  async earlierThanTime(timeMillis: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
    return (await this.bisect((snapshot) => (snapshot.timeMillis < timeMillis ? -1 : 1), signal)).before
  }

  /**
   * The oldest snapshot whose watermark is not before `watermark`, or {@link bisect one of those with this one}; undefined if all
   * are before it. Those without a watermark are the oldest and are passed over, those that say that they have none are before all.
   */
  async laterOrEqualWatermark(watermark: bigint, signal?: AbortSignal): Promise<Snapshot | undefined> {
    const latest = await this.latest(signal)
    if (latest?.watermark === undefined) return undefined
    const first = (await this.bisect(({ storedWatermark }) => (storedWatermark === undefined ? -1 : 1), signal)).after
    if (first?.storedWatermark === undefined) return undefined
    if (first.storedWatermark >= watermark) return first
    const found = await this.bisect(
      ({ storedWatermark: own }) => (own === undefined ? -1 : byOrder(own, watermark)),
      signal,
      first.id,
    )
    return found.equal ?? found.after
  }

  /**
   * Bisects the snapshots from the id `from` on, whose order to what is sought never falls: the last before it and the first after it;
   * or, of several that equal it, the one that is met first, as the reference has it.
   */
  private async bisect(
    orderOf: (snapshot: Snapshot) => number,
    signal: AbortSignal | undefined,
    from = 0n,
  ): Promise<{ before?: Snapshot; equal?: Snapshot; after?: Snapshot }> {
    const ids = (await this.files.list()).filter((id) => id >= from)
    let [low, high] = [0, ids.length - 1]
    let before: Snapshot | undefined
    let after: Snapshot | undefined
    while (low <= high) {
      const middle = (low + high) >> 1
      const snapshot = await this.find(ids[middle]!, signal)
      // One that has expired meanwhile is older than those that are there.
      const side = snapshot === undefined ? -1 : orderOf(snapshot)
      if (side === 0) return { equal: snapshot }
      if (side > 0) {
        after = snapshot
        high = middle - 1
      } else {
        before = snapshot ?? before
        low = middle + 1
      }
    }
    return { before, after }
  }

  private async load(file: string, id: bigint, signal: AbortSignal | undefined): Promise<Snapshot | undefined> {
    const kept = this.read.get(file)
    if (kept !== undefined) return kept
    throwIfAborted(signal)
    const bytes = await ifThere(this.io.read(file, undefined, signal))
    if (bytes === undefined) return undefined
    const snapshot = parseSnapshot(bytes, file)
    if (snapshot.id !== id) {
      throw new LakefoldError('CORRUPT_FILE', `${file}: id is ${snapshot.id}, the file name says ${id}`, {
        context: { file, field: 'id', value: snapshot.id },
      })
    }
    this.read.set(file, snapshot)
    return snapshot
  }
}
