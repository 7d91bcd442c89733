import type { Snapshot } from '../metadata/snapshot.js'
import type { BucketSelection } from './bucket-selection.js'
import { CachedSource } from './cached-source.js'
import { type FileEntry, mergeEntries } from './live-entry.js'
import { type EntryWish, manifestsOf, readEntries, type ScanMode } from './read-entries.js'
import type { PlanCounts } from './scan-metrics.js'
import type { ScanRequest } from './scan-request.js'
import type { TableView } from './table-view.js'

/** Which levels of a bucket are read, and whether each file by itself. */
export interface LevelWish {
  readonly level?: (level: number) => boolean
  readonly minLevel?: number
  /** Files are read without merging, so that values may prune them singly. */
  readonly forceValues?: boolean
  readonly onlyRealBuckets?: boolean
  /** What is false for files that are dropped later in any case: where entries are read, they are not even kept. */
  readonly mayKeep?: (entry: FileEntry) => boolean
}

/** Reads the entries of snapshots that a request wants by partition, level and, where manifests tell, bucket. */
export class EntrySource {
  private readonly cached: CachedSource

  constructor(
    private readonly view: TableView,
    private readonly request: ScanRequest,
    private readonly buckets: BucketSelection,
    private readonly counts: PlanCounts,
    private readonly signal: AbortSignal | undefined,
  ) {
    const read = this.withWish.bind(this)
    this.cached = new CachedSource({ view, request, buckets, counts, read, signal })
  }

  /** The files that are there at a snapshot, by partition, bucket and level. */
  async live(snapshot: Snapshot, levels: LevelWish): Promise<readonly FileEntry[]> {
    const cached = await this.cached.entries(snapshot)
    if (cached === undefined) return mergeEntries(await this.read(snapshot, 'all', levels))
    const { entries, tableFiles } = cached
    this.counts.tableFiles += tableFiles
    const { partitions } = this.request
    return entries.filter(
      (entry) =>
        partitions.wants(entry.partition) &&
        levels.level?.(entry.file.level) !== false &&
        !(levels.onlyRealBuckets && entry.bucket < 0),
    )
  }

  /** The entries of a mode as its manifests list them. */
  async read(snapshot: Snapshot, mode: ScanMode, levels: LevelWish): Promise<FileEntry[]> {
    return this.withWish(snapshot, mode, await this.wish(levels))
  }

  private async withWish(snapshot: Snapshot, mode: ScanMode, wish: EntryWish): Promise<FileEntry[]> {
    const manifests = await manifestsOf(this.view, snapshot, mode, this.signal)
    return readEntries(this.view, manifests, wish, this.counts, this.signal)
  }

  private async wish(levels: LevelWish): Promise<EntryWish> {
    const { bucket, partitions, rowRanges } = this.request
    const head = await this.buckets.ofHeads()
    return {
      ...(partitions.isTrivial ? {} : { partition: partitions }),
      ...(bucket === undefined ? {} : { bucket }),
      ...(head === undefined ? {} : { head }),
      ...(levels.level === undefined ? {} : { level: levels.level }),
      ...(levels.minLevel === undefined ? {} : { minLevel: levels.minLevel }),
      ...(levels.onlyRealBuckets ? { onlyRealBuckets: true } : {}),
      ...(rowRanges === undefined ? {} : { rowRanges }),
      ...(levels.mayKeep === undefined ? {} : { entry: levels.mayKeep }),
    }
  }
}
