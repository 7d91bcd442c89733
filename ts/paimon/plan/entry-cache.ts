import type { FileEntry } from './live-entry.js'

/** The merged live entries of one target at one snapshot, before filters by partition, level or value. */
export interface CachedEntries {
  readonly entries: readonly FileEntry[]
  /** The snapshot's own manifest list: after a rollback another snapshot may have its id. */
  readonly changes: string
  /** Files of the whole snapshot, for the metrics. */
  readonly tableFiles: bigint
}

/**
 * Keeps merged live entries of single buckets between plans, for scans whose option `scan.manifest-entry-cache.max-snapshots` is above 0.
 * One cache may serve several tables and scans at once; plans are the same with and without it.
 */
export class PaimonCache {
  /** By table, branch and target; then by snapshot, the one that was used longest ago first. */
  private readonly targets = new Map<string, Map<bigint, CachedEntries>>()

  /** The entries of a target at a snapshot, if they are kept. */
  get(target: string, snapshotId: bigint): CachedEntries | undefined {
    const snapshots = this.targets.get(target)
    const found = snapshots?.get(snapshotId)
    if (found !== undefined) {
      snapshots?.delete(snapshotId)
      snapshots?.set(snapshotId, found)
    }
    return found
  }

  /** The newest snapshot before `snapshotId` whose entries are kept. */
  newestBefore(target: string, snapshotId: bigint): bigint | undefined {
    let newest: bigint | undefined
    for (const id of this.targets.get(target)?.keys() ?? []) {
      if (id < snapshotId && (newest === undefined || id > newest)) newest = id
    }
    return newest
  }

  /** Keeps entries, for at most `maxSnapshots` snapshots of the target. */
  set(target: string, snapshotId: bigint, entries: CachedEntries, maxSnapshots: number): void {
    let snapshots = this.targets.get(target)
    if (snapshots === undefined) {
      snapshots = new Map()
      this.targets.set(target, snapshots)
    }
    snapshots.delete(snapshotId)
    snapshots.set(snapshotId, entries)
    for (const id of snapshots.keys()) {
      if (snapshots.size <= maxSnapshots) break
      snapshots.delete(id)
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.targets.clear()
  }
}
