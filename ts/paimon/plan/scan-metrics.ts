/** How long something took, over the life of a scan; milliseconds. */
export interface DurationHistogram {
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly sum: number
}

class Durations implements DurationHistogram {
  count = 0
  min = 0
  max = 0
  sum = 0

  get mean(): number {
    return this.count === 0 ? 0 : this.sum / this.count
  }

  add(millis: number): void {
    this.min = this.count === 0 ? millis : Math.min(this.min, millis)
    this.max = Math.max(this.max, millis)
    this.sum += millis
    this.count++
  }

  copy(): DurationHistogram {
    const { count, min, max, mean, sum } = this
    return { count, min, max, mean, sum }
  }
}

/**
 * What plans of a scan saw, by the reference's names. Those named `last…` are of the latest plan that succeeded; histograms, hits and
 * misses add up. Durations in milliseconds.
 */
export interface ScanMetrics {
  readonly lastScanDuration: number
  readonly scanDuration: DurationHistogram
  /** 0 if none. */
  readonly lastScannedSnapshotId: bigint
  /** Manifests left after pruning by their metadata. */
  readonly lastScannedManifests: number
  /** Files of the snapshot that are not in the plan. */
  readonly lastScanSkippedTableFiles: number
  readonly lastScanResultedTableFiles: number
  readonly lastManifestReadDuration: number
  readonly manifestReadDuration: DurationHistogram
  readonly lastSnapshotCacheEnabled: 0 | 1
  readonly lastSnapshotCacheHit: 0 | 1
  readonly snapshotCacheHits: number
  readonly snapshotCacheMisses: number
  readonly lastSnapshotCacheLoadDuration: number
  readonly snapshotCacheLoadDuration: DurationHistogram
  readonly lastSnapshotCacheStoreDuration: number
  readonly snapshotCacheStoreDuration: DurationHistogram
  /** Entries whose head was read. */
  readonly lastLazyDecodeScannedRows: number
  /** Entries that were decoded whole. */
  readonly lastLazyDecodeMaterializedRows: number
}

/** What one plan saw. */
export class PlanCounts {
  snapshotId = 0n
  manifests = 0
  tableFiles = 0n
  resultFiles = 0
  manifestReadMillis = 0
  cacheEnabled = false
  cacheHit: boolean | undefined
  cacheLoadMillis = 0
  cacheStoreMillis: number | undefined
  entriesSeen = 0
  entriesDecoded = 0
}

/** Adds plans up. */
export class MetricsRecorder {
  private last = new PlanCounts()
  private lastDuration = 0
  private hits = 0
  private misses = 0
  private readonly scan = new Durations()
  private readonly manifestRead = new Durations()
  private readonly cacheLoad = new Durations()
  private readonly cacheStore = new Durations()

  record(counts: PlanCounts, millis: number): void {
    this.last = counts
    this.lastDuration = millis
    this.scan.add(millis)
    this.manifestRead.add(counts.manifestReadMillis)
    if (counts.cacheHit === true) this.hits++
    if (counts.cacheHit === false) this.misses++
    if (counts.cacheEnabled) this.cacheLoad.add(counts.cacheLoadMillis)
    if (counts.cacheStoreMillis !== undefined) this.cacheStore.add(counts.cacheStoreMillis)
  }

  /** A copy that later plans do not change. */
  metrics(): ScanMetrics {
    const { last } = this
    const skipped = Number(last.tableFiles) - last.resultFiles
    return {
      lastScanDuration: this.lastDuration,
      scanDuration: this.scan.copy(),
      lastScannedSnapshotId: last.snapshotId,
      lastScannedManifests: last.manifests,
      lastScanSkippedTableFiles: Math.max(0, skipped),
      lastScanResultedTableFiles: last.resultFiles,
      lastManifestReadDuration: last.manifestReadMillis,
      manifestReadDuration: this.manifestRead.copy(),
      lastSnapshotCacheEnabled: last.cacheEnabled ? 1 : 0,
      lastSnapshotCacheHit: last.cacheHit === true ? 1 : 0,
      snapshotCacheHits: this.hits,
      snapshotCacheMisses: this.misses,
      lastSnapshotCacheLoadDuration: last.cacheLoadMillis,
      snapshotCacheLoadDuration: this.cacheLoad.copy(),
      lastSnapshotCacheStoreDuration: last.cacheStoreMillis ?? 0,
      snapshotCacheStoreDuration: this.cacheStore.copy(),
      lastLazyDecodeScannedRows: last.entriesSeen,
      lastLazyDecodeMaterializedRows: last.entriesDecoded,
    }
  }
}
