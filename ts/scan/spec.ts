import type { Expression } from '../expr/node.js'
import type { ScanReport } from './report.js'

/** What a scan was asked for. Immutable: every setter of a scan makes another one. */
export interface ScanSpec {
  /** The snapshot that the scan was pinned to; undefined: the current one. */
  readonly snapshotId: bigint | undefined
  /** Whether rows and filter have the schema of the pinned snapshot instead of the table's current one. */
  readonly snapshotSchema: boolean
  /** All of these must hold. */
  readonly filters: readonly Expression[]
  /** Columns in their order; undefined: all of them. */
  readonly columns: readonly string[] | undefined
  readonly caseSensitive: boolean
  /** Pieces of a file are joined up to this many bytes; 0: a file is one task. */
  readonly splitSize: number
  /** Whether tasks come without residuals, so that the rows of whole files are returned. */
  readonly ignoreResiduals: boolean
  /** Workers of reads that do not say how many. */
  readonly numWorkers: number | undefined
  /** Gets a report after each complete plan. */
  readonly onReport: ((report: ScanReport) => void) | undefined
}

/** A plain scan: all rows and columns of the current snapshot. */
export const PLAIN_SCAN: ScanSpec = Object.freeze({
  snapshotId: undefined,
  snapshotSchema: false,
  filters: [],
  columns: undefined,
  caseSensitive: true,
  splitSize: 0,
  ignoreResiduals: false,
  numWorkers: undefined,
  onReport: undefined,
})

/** `spec` with some members changed. */
export function withChange(spec: ScanSpec, change: Partial<ScanSpec>): ScanSpec {
  return Object.freeze({ ...spec, ...change })
}
