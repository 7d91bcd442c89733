import { compareValues } from '../../types/compare.js'
import type { Value } from '../../types/types.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import { BUCKET, MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS, SCAN_PLAN_SORT_PARTITION } from '../metadata/options.js'
import { sharedType } from '../metadata/shared-type.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { BucketPruner } from './bucket-pruner.js'
import { DataSplit, type DataSplitInit } from './data-split.js'
import { type DeletionLookup, deletionFiles } from './deletion-files.js'
import type { CachedEntries } from './entry-cache.js'
import { filterFiles, groupByBucket } from './file-filter.js'
import { FileSchemas } from './file-stats.js'
import { entryKey, type FileEntry, mergeEntries } from './live-entry.js'
import { type EntryWish, manifestsOf, readEntries, type ScanMode } from './read-entries.js'
import type { PlanCounts } from './scan-metrics.js'
import type { ScanRequest } from './scan-request.js'
import { type SplitGenerator, splitGenerator } from './split-generator.js'
import type { TableView } from './table-view.js'

/** Which levels of a bucket are read, and whether each file by itself. */
export interface LevelWish {
  readonly level?: (level: number) => boolean
  readonly minLevel?: number
  /** Files are read without merging, so that values may prune them singly. */
  readonly forceValues?: boolean
  readonly onlyRealBuckets?: boolean
}

/** So many schemas are looked at to find out whether all agree about buckets. */
const MAX_SCHEMAS = 64

/** Plans snapshots of one view of a table. */
export class SnapshotReader {
  private readonly schemas: FileSchemas
  private readonly pruner: BucketPruner
  private readonly generator: SplitGenerator
  private bucketsAgree: Promise<boolean> | undefined

  constructor(
    readonly view: TableView,
    readonly request: ScanRequest,
    private readonly counts: PlanCounts,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.schemas = new FileSchemas(view.schema, view.schemas)
    this.pruner = new BucketPruner(view.schema, request.predicate)
    this.generator = splitGenerator(view.schema, view.paths.root)
  }

  /** The files of a snapshot that may hold matching rows. */
  async entries(snapshot: Snapshot, mode: ScanMode, levels: LevelWish): Promise<readonly FileEntry[]> {
    const { request } = this
    const found = mode === 'all' ? await this.live(snapshot, levels) : await this.read(snapshot, mode, levels)
    let entries = mode === 'all' ? found : found.filter((entry) => entry.kind === 'ADD')
    entries = await this.inBuckets(entries)
    const { createdSince } = request
    if (createdSince !== undefined) {
      entries = entries.filter(({ file }) => file.creationTime === undefined || file.creationTime >= createdSince)
    }
    if (request.onRows.op === 'true') return entries
    await this.schemas.load(entries)
    return filterFiles(entries, request.onRows, this.schemas, { mode, forceValues: levels.forceValues === true })
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

  /** Entries as splits. */
  cut(
    entries: readonly FileEntry[],
    snapshotId: bigint,
    how: {
      readonly streaming: boolean
      /** Cuts as a batch does, though the rows are changes: what a range of snapshots brought. */
      readonly batchCuts?: boolean
      readonly deletions: DeletionLookup | undefined
    },
  ): DataSplit[] {
    this.counts.resultFiles += entries.length
    const groups = [...groupByBucket(entries).values()]
    if (this.view.options.get(SCAN_PLAN_SORT_PARTITION)) groups.sort(this.partitionOrder())
    return groups.flatMap((group) => {
      const [{ partition, bucket, totalBuckets }] = group as [FileEntry]
      const files = group.map((entry) => entry.file)
      const cuts = how.streaming && !how.batchCuts ? this.generator.forStreaming(files) : this.generator.forBatch(files)
      return cuts.map(
        (cut) =>
          new DataSplit({
            snapshotId,
            partition: partition.bytes,
            partitionValues: partition.values,
            bucket,
            bucketPath: this.view.files.bucketFolder(partition.values, bucket),
            totalBuckets,
            dataFiles: cut.files,
            deletionFiles: this.vectors(cut.files, group[0] as FileEntry, how.deletions),
            isStreaming: how.streaming,
            rawConvertible: cut.rawConvertible,
            rowRanges: this.request.rowRanges,
            branch: this.view.paths.branch,
          }),
      )
    })
  }

  /** The difference of two states, one split for each bucket; one that does not differ gives a split without files, as the reference's. */
  async difference(before: Snapshot, after: Snapshot, levels: LevelWish): Promise<DataSplit[]> {
    this.counts.snapshotId = after.id
    const read = (snapshot: Snapshot): Promise<readonly [readonly FileEntry[], DeletionLookup]> =>
      Promise.all([this.bucketsOf(snapshot, levels), deletionFiles(this.view, snapshot, this.signal)])
    const [[old, oldVectors], [young, youngVectors]] = [await read(before), await read(after)]
    // A file that is in both states with the same vector makes no difference.
    const same = (a: FileEntry): boolean => {
      const [x, y] = [oldVectors, youngVectors].map((find) => find(a.partition, a.bucket, a.file.fileName))
      return x?.path === y?.path && x?.offset === y?.offset
    }
    const oldKeys = new Set(old.filter(same).map(entryKey))
    const youngKeys = new Set(young.filter(same).map(entryKey))
    const [befores, afters] = [groupByBucket(old), groupByBucket(young)]
    return [...new Set([...befores.keys(), ...afters.keys()])].map((key) => {
      const [from, to] = [befores.get(key) ?? [], afters.get(key) ?? []]
      const [one] = [...to, ...from] as [FileEntry]
      const beforeFiles = from.filter((entry) => !youngKeys.has(entryKey(entry))).map(({ file }) => file)
      const dataFiles = to.filter((entry) => !oldKeys.has(entryKey(entry))).map(({ file }) => file)
      return this.changed(after.id, one, dataFiles, beforeFiles, {
        isStreaming: false,
        deletionFiles: this.vectors(dataFiles, one, youngVectors),
        beforeDeletionFiles: this.vectors(beforeFiles, one, oldVectors),
      })
    })
  }

  /** What an OVERWRITE of a primary-key table replaced and brought, one split for each bucket; as the reference, without deletion files. */
  async replaced(snapshot: Snapshot): Promise<DataSplit[]> {
    this.counts.snapshotId = snapshot.id
    const entries = await this.inBuckets(await this.read(snapshot, 'delta', {}))
    return [...groupByBucket(entries).values()].map((bucket) => {
      const files = (kind: FileEntry['kind']) => bucket.filter((entry) => entry.kind === kind).map(({ file }) => file)
      return this.changed(snapshot.id, bucket[0] as FileEntry, files('ADD'), files('DELETE'), { isStreaming: true })
    })
  }

  private changed(
    snapshotId: bigint,
    { partition, bucket, totalBuckets }: FileEntry,
    dataFiles: readonly DataFileMeta[],
    beforeFiles: readonly DataFileMeta[],
    more: Pick<DataSplitInit, 'isStreaming' | 'deletionFiles' | 'beforeDeletionFiles'>,
  ): DataSplit {
    this.counts.resultFiles += beforeFiles.length + dataFiles.length
    return new DataSplit({
      snapshotId,
      partition: partition.bytes,
      partitionValues: partition.values,
      bucket,
      bucketPath: this.view.files.bucketFolder(partition.values, bucket),
      totalBuckets,
      dataFiles,
      beforeFiles,
      rawConvertible: false,
      branch: this.view.paths.branch,
      ...more,
    })
  }

  /** Live entries by partition and bucket alone: values must not prune either side of a difference. */
  private async bucketsOf(snapshot: Snapshot, levels: LevelWish): Promise<readonly FileEntry[]> {
    return this.inBuckets(await this.live(snapshot, levels))
  }

  private vectors(files: readonly DataFileMeta[], { partition, bucket }: FileEntry, find: DeletionLookup | undefined) {
    return find === undefined ? undefined : files.map((file) => find(partition, bucket, file.fileName))
  }

  /** The files that are there at a snapshot, by partition, bucket and level. */
  private async live(snapshot: Snapshot, levels: LevelWish): Promise<readonly FileEntry[]> {
    const target = this.cacheTarget()
    if (target === undefined) return mergeEntries(await this.read(snapshot, 'all', levels))
    const { entries, tableFiles } = await this.cached(snapshot, target)
    this.counts.tableFiles += tableFiles
    const { partitions } = this.request
    return entries.filter(
      (entry) =>
        partitions.wants(entry.partition) &&
        levels.level?.(entry.file.level) !== false &&
        !(levels.onlyRealBuckets && entry.bucket < 0),
    )
  }

  private async read(snapshot: Snapshot, mode: ScanMode, levels: LevelWish, wish?: EntryWish): Promise<FileEntry[]> {
    const manifests = await manifestsOf(this.view, snapshot, mode, this.signal)
    return readEntries(this.view, manifests, wish ?? (await this.wish(levels)), this.counts, this.signal)
  }

  private async wish(levels: LevelWish): Promise<EntryWish> {
    const { bucket, partitions, rowRanges } = this.request
    const early = bucket === undefined && this.pruner.active && (await this.schemasAgree())
    return {
      ...(partitions.isTrivial ? {} : { partition: partitions }),
      ...(bucket === undefined ? {} : { bucket }),
      ...(early ? { head: (partition, one, total) => this.pruner.buckets(partition, total)?.has(one) !== false } : {}),
      ...(levels.level === undefined ? {} : { level: levels.level }),
      ...(levels.minLevel === undefined ? {} : { minLevel: levels.minLevel }),
      ...(levels.onlyRealBuckets ? { onlyRealBuckets: true } : {}),
      ...(rowRanges === undefined ? {} : { rowRanges }),
    }
  }

  /** Drops entries outside the derived buckets, if their schema puts rows into buckets as today's does. */
  private async inBuckets(entries: readonly FileEntry[]): Promise<readonly FileEntry[]> {
    if (this.request.bucket !== undefined || !this.pruner.active) return entries
    const outside = new Set(
      entries.filter((entry) => this.pruner.buckets(entry.partition, entry.totalBuckets)?.has(entry.bucket) === false),
    )
    if (outside.size === 0) return entries
    await this.schemas.load(outside)
    const { schema } = this.view
    return entries.filter((entry) => !outside.has(entry) || !this.schemas.of(entry.file.schemaId).bucketsLike(schema))
  }

  /** Whether every schema that a file may have been written with puts rows into buckets as today's does. */
  private schemasAgree(): Promise<boolean> {
    this.bucketsAgree ??= (async () => {
      const { schema, schemas } = this.view
      if (schema.id === 0) return true
      const ids = await schemas.ids()
      if (ids.length > MAX_SCHEMAS || ids.some((id, i) => id !== i)) return false
      const all = await Promise.all(ids.map((id) => schemas.byId(id)))
      return all.every((other) => other.bucketsLike(schema))
    })()
    return this.bucketsAgree
  }

  /** What of the table the cache would keep; undefined where it does not serve this scan. */
  private cacheTarget(): string | undefined {
    const { cache, bucket, rowRanges } = this.request
    const { paths, schema, options } = this.view
    if (cache === undefined || rowRanges !== undefined || options.get(MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS) <= 0)
      return undefined
    this.counts.cacheEnabled = true
    const table = `${this.view.io.resolve(paths.root)}\0${paths.branch}`
    if (bucket !== undefined) return `${table}\0${bucket}`
    const count = options.get(BUCKET)
    const single = count > 0 ? this.pruner.single(count) : undefined
    return single === undefined ? undefined : `${table}\0${single}\0${count}\0${schema.id}`
  }

  private async cached(snapshot: Snapshot, target: string): Promise<CachedEntries> {
    const { cache, bucket } = this.request
    const started = performance.now()
    const kept = cache?.get(target, snapshot.id)
    this.counts.cacheHit = kept !== undefined
    this.counts.cacheLoadMillis = performance.now() - started
    if (kept !== undefined) return kept
    const { schema, options } = this.view
    const count = options.get(BUCKET)
    const single = bucket === undefined ? this.pruner.single(count) : undefined
    // Files of another bucket count or schema are among the candidates; they are sorted out after the look-up.
    const wish: EntryWish =
      bucket !== undefined
        ? { bucket }
        : (await this.schemasAgree())
          ? { head: (_, one, total) => total !== count || one === single }
          : {}
    const before = this.counts.tableFiles
    const read = mergeEntries(await this.read(snapshot, 'all', {}, wish))
    const entries = read.filter(
      (entry) =>
        bucket !== undefined ||
        entry.bucket === single ||
        entry.totalBuckets !== count ||
        entry.file.schemaId !== schema.id,
    )
    const made = { entries, tableFiles: this.counts.tableFiles - before }
    this.counts.tableFiles = before
    const stored = performance.now()
    cache?.set(target, snapshot.id, made, options.get(MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS))
    this.counts.cacheStoreMillis = performance.now() - stored
    return made
  }

  private partitionOrder(): (a: readonly FileEntry[], b: readonly FileEntry[]) => number {
    const orders = this.view.schema.partitionFields.map((field) => compareValues(sharedType(field.type, field.id)))
    return ([a], [b]) => {
      for (let i = 0; i < orders.length; i++) {
        const [x, y] = [a?.partition.values[i] ?? null, b?.partition.values[i] ?? null]
        const order =
          x === null || y === null ? Number(x !== null) - Number(y !== null) : orders[i]?.(x as Value, y as Value)
        if (order !== undefined && order !== 0) return order
      }
      return (a?.bucket ?? 0) - (b?.bucket ?? 0)
    }
  }
}
