import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'
import { LocalFileIO } from '../../io/local.js'
import { PLAIN_SCAN, type ScanSpec } from '../../scan/spec.js'
import type { Schema } from '../../types/schema.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { pickById, pickByRef, pickByTime, type SnapshotPick, schemaOf } from '../plan/pick-snapshot.js'
import { planSnapshot } from '../plan/plan.js'
import type { PlanRequest } from '../plan/plan-context.js'
import type { PlannedFile } from '../plan/planned-file.js'
import { RowScan } from './row-scan.js'

/**
 * A scan of one snapshot of a table. Immutable: each setter returns a new scan.
 *
 * @example
 * ```ts
 * const table = await openTable('/data/events')
 * const batches = await table.scan().filter(col('id').gt(10)).select('id', 'name').toBatches()
 * ```
 */
export class TableScan extends RowScan<TableScan> {
  /** A plain scan of the current snapshot; files are local ones if no storage is given. */
  static of(metadata: TableMetadata, io: FileIO = new LocalFileIO()): TableScan {
    return TableScan.over(metadata, io, PLAIN_SCAN)
  }

  /** @internal The same with another spec. */
  static over(metadata: TableMetadata, io: FileIO, spec: ScanSpec): TableScan {
    return new TableScan(metadata, io, spec)
  }

  /**
   * Reads a snapshot by its id, with the schema that it was written with.
   * @throws LakefoldError UNKNOWN_SNAPSHOT; INVALID_ARGUMENT if the scan is already pinned
   */
  useSnapshot(id: bigint | string | number): TableScan {
    return this.#pin(pickById(this.metadata, id))
  }

  /**
   * Reads a branch, with the table's current schema, or a tag, with the schema of its snapshot. `main` pins nothing.
   * @throws LakefoldError UNKNOWN_REF; INVALID_ARGUMENT if the scan is already pinned
   */
  useRef(name: string): TableScan {
    const pick = pickByRef(this.metadata, name)
    return pick === undefined ? this : this.#pin(pick)
  }

  /**
   * Reads the snapshot that was current at a time (milliseconds since 1970), with the schema that it was written with.
   * @throws LakefoldError UNKNOWN_SNAPSHOT if the table is younger; INVALID_ARGUMENT if the scan is already pinned
   */
  asOf(timestampMs: number | bigint | Date): TableScan {
    return this.#pin(pickByTime(this.metadata, timestampMs))
  }

  /** The snapshot that the scan reads; undefined for a table that was never written. */
  snapshot(): Snapshot | undefined {
    const { snapshotId } = this.spec
    return snapshotId === undefined ? this.metadata.currentSnapshot() : this.metadata.snapshotById(snapshotId)
  }

  protected override derive(spec: ScanSpec, io: FileIO): TableScan {
    return new TableScan(this.metadata, io, spec)
  }

  protected override rowSchema(): Schema {
    const { snapshotSchema } = this.spec
    const snapshot = snapshotSchema ? this.snapshot() : undefined
    return snapshot === undefined ? this.metadata.currentSchema() : schemaOf(this.metadata, snapshot)
  }

  protected override plannedSnapshotId(): bigint | undefined {
    return this.snapshot()?.snapshotId
  }

  protected override planned(request: PlanRequest): AsyncIterable<PlannedFile[]> {
    return planSnapshot(request, this.snapshot()!)
  }

  #pin(pick: SnapshotPick): TableScan {
    const { snapshotId } = this.spec
    if (snapshotId !== undefined) {
      throw new LakefoldError('INVALID_ARGUMENT', `The scan is already pinned to snapshot ${snapshotId}`, {
        context: { snapshotId, value: pick.snapshotId },
      })
    }
    return this.with(pick)
  }
}
