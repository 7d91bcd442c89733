import { BUCKET, MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS } from '../metadata/options.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { BucketSelection } from './bucket-selection.js'
import type { CachedEntries } from './entry-cache.js'
import { type FileEntry, mergeEntries } from './live-entry.js'
import type { EntryWish } from './read-entries.js'
import type { PlanCounts } from './scan-metrics.js'
import type { ScanRequest } from './scan-request.js'
import type { TableView } from './table-view.js'

/** Live entries by way of the cache of a request, which keeps those of single buckets. */
export class CachedSource {
  constructor(
    private readonly view: TableView,
    private readonly request: ScanRequest,
    private readonly buckets: BucketSelection,
    private readonly counts: PlanCounts,
    private readonly read: (snapshot: Snapshot, wish: EntryWish) => Promise<FileEntry[]>,
  ) {}

  /** The entries of what the cache keeps at a snapshot, read where it does not; undefined where it does not serve this request. */
  async entries(snapshot: Snapshot): Promise<CachedEntries | undefined> {
    const target = this.target()
    if (target === undefined) return undefined
    const { cache, bucket } = this.request
    const started = performance.now()
    const found = cache?.get(target, snapshot.id)
    const kept = found?.changes === snapshot.deltaManifestList ? found : undefined
    this.counts.cacheHit = kept !== undefined
    this.counts.cacheLoadMillis = performance.now() - started
    if (kept !== undefined) return kept
    const { schema, options } = this.view
    const count = options.get(BUCKET)
    const single = bucket === undefined ? this.buckets.single(count) : undefined
    // Files of another bucket count or schema are among the candidates; they are sorted out after the look-up.
    const wish: EntryWish =
      bucket !== undefined
        ? { bucket }
        : (await this.buckets.schemasAgree())
          ? { head: (_, one, total) => total !== count || one === single }
          : {}
    const before = this.counts.tableFiles
    const read = mergeEntries(await this.read(snapshot, wish))
    const entries = read.filter(
      (entry) =>
        bucket !== undefined ||
        entry.bucket === single ||
        entry.totalBuckets !== count ||
        entry.file.schemaId !== schema.id,
    )
    const made = { entries, changes: snapshot.deltaManifestList, tableFiles: this.counts.tableFiles - before }
    this.counts.tableFiles = before
    const stored = performance.now()
    cache?.set(target, snapshot.id, made, options.get(MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS))
    this.counts.cacheStoreMillis = performance.now() - stored
    return made
  }

  /** What of the table the cache would keep; undefined where it does not serve this scan. */
  private target(): string | undefined {
    const { cache, bucket, rowRanges } = this.request
    const { paths, schema, options } = this.view
    if (cache === undefined || rowRanges !== undefined || options.get(MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS) <= 0)
      return undefined
    this.counts.cacheEnabled = true
    const table = `${this.view.io.resolve(paths.root)}\0${paths.branch}`
    if (bucket !== undefined) return `${table}\0${bucket}`
    const count = options.get(BUCKET)
    const single = count > 0 ? this.buckets.single(count) : undefined
    return single === undefined ? undefined : `${table}\0${single}\0${count}\0${schema.id}`
  }
}
