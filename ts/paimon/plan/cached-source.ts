import { BUCKET, MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS } from '../metadata/options.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { BucketSelection } from './bucket-selection.js'
import type { CachedEntries } from './entry-cache.js'
import { type FileEntry, mergeEntries } from './live-entry.js'
import type { EntryWish, ScanMode } from './read-entries.js'
import type { PlanCounts } from './scan-metrics.js'
import type { ScanRequest } from './scan-request.js'
import type { TableView } from './table-view.js'

/** What a {@link CachedSource} reads by. */
export interface CachedSourceInit {
  readonly view: TableView
  readonly request: ScanRequest
  readonly buckets: BucketSelection
  readonly counts: PlanCounts
  readonly read: (snapshot: Snapshot, mode: ScanMode, wish: EntryWish) => Promise<FileEntry[]>
  readonly signal: AbortSignal | undefined
}

/** From an older snapshot on, more changes than these are not read one by one. */
const MOST_CHANGES = 16

/** Live entries by way of the cache of a request, which keeps those of single buckets. */
export class CachedSource {
  constructor(private readonly init: CachedSourceInit) {}

  /** The entries of what the cache keeps at a snapshot, read where it does not; undefined where it does not serve this request. */
  async entries(snapshot: Snapshot): Promise<CachedEntries | undefined> {
    const { view, request, counts } = this.init
    const { cache } = request
    const target = this.target()
    if (target === undefined || cache === undefined) return undefined
    const started = performance.now()
    const found = cache.get(target, snapshot.id)
    const kept = found?.changes === snapshot.deltaManifestList ? found : undefined
    counts.cacheHit = kept !== undefined
    counts.cacheLoadMillis = performance.now() - started
    if (kept !== undefined) return kept
    const wish = await this.wish()
    const before = counts.tableFiles
    const made = (await this.fromOlder(snapshot, target, wish)) ?? (await this.whole(snapshot, wish))
    counts.tableFiles = before
    const stored = performance.now()
    cache.set(target, snapshot.id, made, view.options.get(MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS))
    counts.cacheStoreMillis = performance.now() - stored
    return made
  }

  private async whole(snapshot: Snapshot, wish: EntryWish): Promise<CachedEntries> {
    const { counts, read } = this.init
    const before = counts.tableFiles
    const entries = mergeEntries(await read(snapshot, 'all', wish)).filter((entry) => this.isWanted(entry))
    return { entries, changes: snapshot.deltaManifestList, tableFiles: counts.tableFiles - before }
  }

  /** The entries of the newest older snapshot that is kept, with what changed since; undefined where that does not lead here. */
  private async fromOlder(snapshot: Snapshot, target: string, wish: EntryWish): Promise<CachedEntries | undefined> {
    const { counts, read, request } = this.init
    const id = request.cache?.newestBefore(target, snapshot.id)
    const base = id === undefined ? undefined : request.cache?.get(target, id)
    if (id === undefined || base === undefined || snapshot.id - id > MOST_CHANGES) return undefined
    const since = await this.snapshotsSince(id, base, snapshot)
    if (since === undefined) return undefined
    const before = counts.tableFiles
    let entries = base.entries
    for (const one of since) {
      const changes = (await read(one, 'delta', wish)).filter((entry) => this.isWanted(entry))
      entries = mergeEntries([...entries, ...changes])
    }
    const tableFiles = base.tableFiles + (counts.tableFiles - before)
    return { entries, changes: snapshot.deltaManifestList, tableFiles }
  }

  /** The snapshots after one whose entries are kept, in order; undefined where one is gone, or was rolled back and written anew. */
  private async snapshotsSince(
    id: bigint,
    base: CachedEntries,
    last: Snapshot,
  ): Promise<readonly Snapshot[] | undefined> {
    const { view, signal } = this.init
    const ids = Array.from({ length: Number(last.id - id) }, (_, i) => id + BigInt(i))
    const found = await Promise.all(ids.map((one) => view.snapshots.find(one, signal)))
    const [first, ...rest] = found
    if (first?.deltaManifestList !== base.changes || rest.includes(undefined)) return undefined
    return [...(rest as Snapshot[]), last]
  }

  /** Files of another bucket count or schema are among the candidates; they are sorted out after the look-up. */
  private async wish(): Promise<EntryWish> {
    const { view, request, buckets } = this.init
    if (request.bucket !== undefined) return { bucket: request.bucket }
    if (!(await buckets.schemasAgree())) return {}
    const count = view.options.get(BUCKET)
    const single = buckets.single(count)
    return { head: (_, one, total) => total !== count || one === single }
  }

  private isWanted(entry: FileEntry): boolean {
    const { view, request, buckets } = this.init
    if (request.bucket !== undefined) return true
    const count = view.options.get(BUCKET)
    return (
      entry.bucket === buckets.single(count) || entry.totalBuckets !== count || entry.file.schemaId !== view.schema.id
    )
  }

  /** What of the table the cache would keep; undefined where it does not serve this scan. */
  private target(): string | undefined {
    const { view, request, buckets, counts } = this.init
    const { cache, bucket, rowRanges } = request
    const { paths, schema, options } = view
    if (cache === undefined || rowRanges !== undefined || options.get(MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS) <= 0)
      return undefined
    counts.cacheEnabled = true
    const table = `${view.io.resolve(paths.root)}\0${paths.branch}`
    if (bucket !== undefined) return `${table}\0${bucket}`
    const count = options.get(BUCKET)
    const single = count > 0 ? buckets.single(count) : undefined
    return single === undefined ? undefined : `${table}\0${single}\0${count}\0${schema.id}`
  }
}
