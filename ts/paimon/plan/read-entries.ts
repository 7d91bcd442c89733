import { readAhead } from '../../base/read-ahead.js'
import { readManifest } from '../metadata/manifest.js'
import type { EntryFilter, EntryHead, ManifestEntry } from '../metadata/manifest-entry.js'
import { type ManifestMeta, readManifestList } from '../metadata/manifest-list.js'
import { SCAN_MANIFEST_PARALLELISM } from '../metadata/options.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { FileEntry } from './live-entry.js'
import type { Partition } from './partitions.js'
import type { RowRange } from './row-ranges.js'
import { meetsRanges } from './row-ranges.js'
import type { PlanCounts } from './scan-metrics.js'
import type { TableView } from './table-view.js'

/** Which files of a snapshot: all that it has, those that its commit added or deleted, or its changelog. */
export type ScanMode = 'all' | 'delta' | 'changelog'

/** What entries are wanted; a member that is undefined wants all. */
export interface EntryWish {
  readonly partition?: { wants(partition: Partition): boolean; mayHold(meta: ManifestMeta, list: string): boolean }
  /** The explicit bucket: it alone may rule out manifests. */
  readonly bucket?: number
  /** Of the head alone, for derived buckets. */
  readonly head?: (partition: Partition, bucket: number, totalBuckets: number) => boolean
  readonly level?: (level: number) => boolean
  /** A level that every wanted file has at least. */
  readonly minLevel?: number
  /** Whether files that wait for a bucket are left out. */
  readonly onlyRealBuckets?: boolean
  readonly rowRanges?: readonly RowRange[]
  /** Of entries as a whole, those that delete among them; what it drops is not kept. */
  readonly entry?: (entry: FileEntry) => boolean
}

const DEFAULT_PARALLELISM = 8

/** The manifest lists of a snapshot for a mode, each with its location. */
export async function manifestsOf(
  view: TableView,
  snapshot: Snapshot,
  mode: ScanMode,
  signal: AbortSignal | undefined,
): Promise<readonly { readonly meta: ManifestMeta; readonly list: string }[]> {
  const names =
    mode === 'all'
      ? [snapshot.baseManifestList, snapshot.deltaManifestList]
      : mode === 'delta'
        ? [snapshot.deltaManifestList]
        : snapshot.changelogManifestList === undefined
          ? []
          : [snapshot.changelogManifestList]
  const source = view.source(signal)
  const lists = await Promise.all(
    names.map(async (name) => {
      const list = view.paths.manifest(name)
      return (await readManifestList(source, list)).map((meta) => ({ meta, list }))
    }),
  )
  return lists.flat()
}

/** The entries of manifests that pass the wish, in order, ADD and DELETE; manifests that cannot hold one are not read. */
export async function readEntries(
  view: TableView,
  manifests: readonly { readonly meta: ManifestMeta; readonly list: string }[],
  wish: EntryWish,
  counts: PlanCounts,
  signal: AbortSignal | undefined,
): Promise<FileEntry[]> {
  const wanted = manifests.filter(({ meta, list }) => mayHold(meta, list, wish))
  counts.manifests += wanted.length
  for (const { meta } of manifests) counts.tableFiles += meta.numAddedFiles - meta.numDeletedFiles
  const started = performance.now()
  const width = Math.max(1, view.options.get(SCAN_MANIFEST_PARALLELISM) ?? DEFAULT_PARALLELISM)
  const entries: FileEntry[] = []
  const read = async ({ meta }: { readonly meta: ManifestMeta }, stop: AbortSignal): Promise<FileEntry[]> => {
    const manifest = view.paths.manifest(meta.fileName)
    const found = await readManifest(view.source(stop), manifest, entryFilter(view, wish, manifest))
    counts.entriesSeen += found.seen
    counts.entriesDecoded += found.decoded
    return found.entries.map((entry) => fileEntry(view, entry, manifest))
  }
  for await (const part of readAhead(wanted, width, read, signal)) for (const entry of part) entries.push(entry)
  counts.manifestReadMillis += performance.now() - started
  return entries
}

function mayHold(meta: ManifestMeta, list: string, wish: EntryWish): boolean {
  const { minBucket, maxBucket, maxLevel, minRowId, maxRowId } = meta
  if (wish.onlyRealBuckets && maxBucket !== undefined && maxBucket < 0) return false
  if (wish.bucket !== undefined && minBucket !== undefined && maxBucket !== undefined) {
    if (wish.bucket < minBucket || wish.bucket > maxBucket) return false
  }
  if (wish.minLevel !== undefined && maxLevel !== undefined && maxLevel < wish.minLevel) return false
  if (wish.rowRanges !== undefined && minRowId !== undefined && maxRowId !== undefined) {
    if (!wish.rowRanges.some(({ from, to }) => from <= maxRowId && to >= minRowId)) return false
  }
  return wish.partition?.mayHold(meta, list) !== false
}

/** The wish as a filter of a manifest's entries; without members that would let everything through. */
function entryFilter(view: TableView, wish: EntryWish, manifest: string): EntryFilter {
  const { partition, bucket, head, level, onlyRealBuckets, rowRanges, entry } = wish
  const anyHead = partition === undefined && bucket === undefined && head === undefined && !onlyRealBuckets
  return {
    ...(anyHead ? {} : { head: (one) => wantsHead(view, one, wish, manifest) }),
    ...(level === undefined ? {} : { level }),
    ...(rowRanges === undefined && entry === undefined
      ? {}
      : { entry: (one) => meetsRanges(one.file, rowRanges) && entry?.(fileEntry(view, one, manifest)) !== false }),
  }
}

function fileEntry(view: TableView, entry: ManifestEntry, manifest: string): FileEntry {
  const { kind, partition, bucket, totalBuckets, file } = entry
  return { kind, partition: view.partitions.of(partition, manifest), bucket, totalBuckets, file, manifest }
}

function wantsHead(view: TableView, head: EntryHead, wish: EntryWish, manifest: string): boolean {
  if (wish.bucket !== undefined && head.bucket !== wish.bucket) return false
  if (wish.onlyRealBuckets && head.bucket < 0) return false
  if (wish.partition === undefined && wish.head === undefined) return true
  const partition = view.partitions.of(head.partition, manifest)
  if (wish.partition?.wants(partition) === false) return false
  return wish.head?.(partition, head.bucket, head.totalBuckets) !== false
}
