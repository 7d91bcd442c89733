import type { FileIO } from '../../io/file-io.js'
import { LocalFileIO } from '../../io/local.js'
import { PLAIN_SCAN, type ScanSpec } from '../../scan/spec.js'
import type { Schema } from '../../types/schema.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { planChanges } from '../plan/changelog.js'
import { planAppends } from '../plan/incremental-append.js'
import type { PlanRequest } from '../plan/plan-context.js'
import type { PlannedFile } from '../plan/planned-file.js'
import { branchHead, rangeEnd, type SnapshotRange, snapshotsBetween, WHOLE_LINEAGE } from '../plan/snapshot-range.js'
import { RowScan } from './row-scan.js'

/** A scan between snapshots, along the parents of its end. Rows and filter have the table's current schema. */
abstract class IncrementalScan<Self> extends RowScan<Self> {
  protected readonly range: SnapshotRange

  protected constructor(metadata: TableMetadata, io: FileIO, spec: ScanSpec, range: SnapshotRange) {
    super(metadata, io, spec)
    this.range = range
  }

  /** The same scan over another range. */
  protected abstract withRange(range: SnapshotRange): Self

  /** Starts after a snapshot (id or tag), which may have expired. @throws LakefoldError UNKNOWN_REF */
  fromSnapshotExclusive(from: bigint | string | number): Self {
    return this.withRange({ ...this.range, from: { snapshotId: rangeEnd(this.metadata, from), inclusive: false } })
  }

  /** Starts with a snapshot (id or tag). @throws LakefoldError UNKNOWN_SNAPSHOT, UNKNOWN_REF */
  fromSnapshotInclusive(from: bigint | string | number): Self {
    const { snapshotId } = this.metadata.snapshotById(rangeEnd(this.metadata, from))
    return this.withRange({ ...this.range, from: { snapshotId, inclusive: true } })
  }

  /** Ends with a snapshot (id or tag); without it, with the current one. @throws LakefoldError UNKNOWN_SNAPSHOT, UNKNOWN_REF */
  toSnapshot(to: bigint | string | number): Self {
    return this.withRange({ ...this.range, to: this.metadata.snapshotById(rangeEnd(this.metadata, to)).snapshotId })
  }

  /** Ends with the head of a branch, or with a snapshot on it. @throws LakefoldError UNKNOWN_REF */
  useBranch(name: string): Self {
    branchHead(this.metadata, name)
    return this.withRange({ ...this.range, branch: name })
  }

  /** The snapshots of the range, newest first. @throws LakefoldError UNKNOWN_SNAPSHOT if there is no such range */
  snapshots(): readonly Snapshot[] {
    return snapshotsBetween(this.metadata, this.range)
  }

  protected override rowSchema(): Schema {
    return this.metadata.currentSchema()
  }

  protected override plannedSnapshotId(): bigint | undefined {
    return this.snapshots()[0]?.snapshotId
  }
}

/**
 * The rows that appends added between two snapshots; rows that a later snapshot deleted still come.
 *
 * @example
 * ```ts
 * const fresh = await table.incrementalAppendScan().fromSnapshotExclusive(lastSeen).toBatches()
 * ```
 */
export class IncrementalAppendScan extends IncrementalScan<IncrementalAppendScan> {
  /** The appends of all snapshots that lead to the current one. */
  static of(metadata: TableMetadata, io: FileIO = new LocalFileIO()): IncrementalAppendScan {
    return IncrementalAppendScan.over(metadata, io, PLAIN_SCAN)
  }

  /** @internal The same with another spec. */
  static over(metadata: TableMetadata, io: FileIO, spec: ScanSpec): IncrementalAppendScan {
    return new IncrementalAppendScan(metadata, io, spec, WHOLE_LINEAGE)
  }

  protected override derive(spec: ScanSpec, io: FileIO): IncrementalAppendScan {
    return new IncrementalAppendScan(this.metadata, io, spec, this.range)
  }

  protected override withRange(range: SnapshotRange): IncrementalAppendScan {
    return new IncrementalAppendScan(this.metadata, this.io, this.spec, range)
  }

  protected override planned(request: PlanRequest): AsyncIterable<PlannedFile[]> {
    const snapshots = this.snapshots()
    return planAppends(request, snapshots, snapshots[0]!.snapshotId)
  }
}

/**
 * The rows that each snapshot of a range deleted and inserted, oldest snapshot first, deletes before inserts, with `_change_type`
 * (`INSERT` or `DELETE`), `_change_ordinal` and `_commit_snapshot_id`. Delete files count: a row that one hides comes as
 * a DELETE. Replayed in order, the changes lead from the rows before the range to those at its end.
 *
 * @example
 * ```ts
 * for await (const row of table.changelogScan().fromSnapshotExclusive(lastSeen).rows()) apply(row)
 * ```
 */
export class ChangelogScan extends IncrementalScan<ChangelogScan> {
  protected override readonly isChangelog = true

  /** The changes of all snapshots that lead to the current one. */
  static of(metadata: TableMetadata, io: FileIO = new LocalFileIO()): ChangelogScan {
    return ChangelogScan.over(metadata, io, PLAIN_SCAN)
  }

  /** @internal The same with another spec. */
  static over(metadata: TableMetadata, io: FileIO, spec: ScanSpec): ChangelogScan {
    return new ChangelogScan(metadata, io, spec, WHOLE_LINEAGE)
  }

  protected override derive(spec: ScanSpec, io: FileIO): ChangelogScan {
    return new ChangelogScan(this.metadata, io, spec, this.range)
  }

  protected override withRange(range: SnapshotRange): ChangelogScan {
    return new ChangelogScan(this.metadata, this.io, this.spec, range)
  }

  protected override planned(request: PlanRequest): AsyncIterable<PlannedFile[]> {
    return planChanges(request, this.snapshots())
  }
}
