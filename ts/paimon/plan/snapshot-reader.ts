import type { Snapshot } from '../metadata/snapshot.js'
import { BucketSelection } from './bucket-selection.js'
import type { DataSplit } from './data-split.js'
import { type DeletionLookup, deletionFiles } from './deletion-files.js'
import { EntrySource, type LevelWish } from './entry-source.js'
import { FileFilter, groupByBucket } from './file-filter.js'
import { FileSchemas } from './file-stats.js'
import { entryKey, type FileEntry } from './live-entry.js'
import type { ScanMode } from './read-entries.js'
import { refuseRescaled } from './rescaled.js'
import type { PlanCounts } from './scan-metrics.js'
import type { ScanRequest } from './scan-request.js'
import { SplitMaker } from './split-maker.js'
import type { TableView } from './table-view.js'

/** Plans snapshots of one view of a table. */
export class SnapshotReader {
  private readonly schemas: FileSchemas
  private readonly buckets: BucketSelection
  private readonly source: EntrySource
  private readonly maker: SplitMaker

  constructor(
    readonly view: TableView,
    readonly request: ScanRequest,
    private readonly counts: PlanCounts,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.schemas = new FileSchemas(view.schema, view.schemas)
    this.buckets = new BucketSelection(view, request, this.schemas)
    this.source = new EntrySource(view, request, this.buckets, counts, signal)
    this.maker = new SplitMaker(view, request, counts)
  }

  /** The files of a snapshot that may hold matching rows. */
  async entries(snapshot: Snapshot, mode: ScanMode, levels: LevelWish): Promise<readonly FileEntry[]> {
    const { request, schemas } = this
    const filter = new FileFilter(request.onRows, schemas, { mode, forceValues: levels.forceValues === true })
    const wish = filter.early === undefined ? levels : { ...levels, mayKeep: filter.early }
    const found = mode === 'all' ? await this.source.live(snapshot, wish) : await this.source.read(snapshot, mode, wish)
    let entries = mode === 'all' ? found : found.filter((entry) => entry.kind === 'ADD')
    entries = await this.buckets.filter(entries)
    const { createdSince } = request
    if (createdSince !== undefined) {
      entries = entries.filter(({ file }) => file.creationTime === undefined || file.creationTime >= createdSince)
    }
    if (request.onRows.op === 'true') return entries
    await schemas.load(entries)
    return filter.filter(entries)
  }

  /** The splits of a snapshot. */
  async splits(snapshot: Snapshot, mode: ScanMode, levels: LevelWish): Promise<DataSplit[]> {
    this.counts.snapshotId = snapshot.id
    const [entries, deletions] = await Promise.all([
      this.entries(snapshot, mode, levels),
      mode === 'all' ? deletionFiles(this.view, snapshot, this.signal) : undefined,
    ])
    return this.cut(entries, snapshot.id, { streaming: mode !== 'all', deletions })
  }

  /** Entries as splits, see {@link SplitMaker.cut}. */
  cut(...args: Parameters<SplitMaker['cut']>): DataSplit[] {
    return this.maker.cut(...args)
  }

  /** The difference of two states, one split for each bucket; one that does not differ gives a split without files, as the reference's. */
  async difference(before: Snapshot, after: Snapshot, levels: LevelWish): Promise<DataSplit[]> {
    this.counts.snapshotId = after.id
    const read = (snapshot: Snapshot): Promise<readonly [readonly FileEntry[], DeletionLookup]> =>
      Promise.all([this.bucketsOf(snapshot, levels), deletionFiles(this.view, snapshot, this.signal)])
    const [[old, oldVectors], [young, youngVectors]] = [await read(before), await read(after)]
    // A file that is in both states with the same vector makes no difference; without keys nothing tells which of its rows went.
    const same = (a: FileEntry): boolean => {
      if (!this.view.schema.hasPrimaryKey) return true
      const [x, y] = [oldVectors, youngVectors].map((find) => find(a.partition, a.bucket, a.file.fileName))
      return x?.path === y?.path && x?.offset === y?.offset
    }
    const oldKeys = new Set(old.filter(same).map(entryKey))
    const youngKeys = new Set(young.filter(same).map(entryKey))
    if (this.view.schema.hasPrimaryKey) {
      const gone = old.filter((entry) => !youngKeys.has(entryKey(entry)))
      refuseRescaled(this.view, gone.concat(young.filter((entry) => !oldKeys.has(entryKey(entry)))))
    }
    const [befores, afters] = [groupByBucket(old), groupByBucket(young)]
    return [...new Set([...befores.keys(), ...afters.keys()])].map((key) => {
      const [from, to] = [befores.get(key) ?? [], afters.get(key) ?? []]
      const [one] = [...to, ...from] as [FileEntry]
      const beforeFiles = from.filter((entry) => !youngKeys.has(entryKey(entry))).map(({ file }) => file)
      const dataFiles = to.filter((entry) => !oldKeys.has(entryKey(entry))).map(({ file }) => file)
      return this.maker.changed(after.id, one, dataFiles, beforeFiles, {
        isStreaming: false,
        deletionFiles: this.maker.vectors(dataFiles, one, youngVectors),
        beforeDeletionFiles: this.maker.vectors(beforeFiles, one, oldVectors),
      })
    })
  }

  /** What an OVERWRITE of a primary-key table replaced and brought, one split for each bucket; as the reference, without deletion files. */
  async replaced(snapshot: Snapshot): Promise<DataSplit[]> {
    this.counts.snapshotId = snapshot.id
    const entries = await this.buckets.filter(await this.source.read(snapshot, 'delta', {}))
    return [...groupByBucket(entries).values()].map((bucket) => {
      const files = (kind: FileEntry['kind']) => bucket.filter((entry) => entry.kind === kind).map(({ file }) => file)
      return this.maker.changed(snapshot.id, bucket[0] as FileEntry, files('ADD'), files('DELETE'), {
        isStreaming: true,
      })
    })
  }

  /** Live entries by partition and bucket alone: values must not prune either side of a difference. */
  private async bucketsOf(snapshot: Snapshot, levels: LevelWish): Promise<readonly FileEntry[]> {
    return this.buckets.filter(await this.source.live(snapshot, levels))
  }
}
