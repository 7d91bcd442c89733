/** Counters of a plan, by the names of Iceberg Java's ScanReport; sizes in bytes. */
export interface ScanMetrics {
  'total-data-manifests': number
  'total-delete-manifests': number
  'scanned-data-manifests': number
  'skipped-data-manifests': number
  'scanned-delete-manifests': number
  'skipped-delete-manifests': number
  'skipped-data-files': number
  'skipped-delete-files': number
  'result-data-files': number
  /** Delete files of all result files; one that applies to two files counts twice. */
  'result-delete-files': number
  'indexed-delete-files': number
  'equality-delete-files': number
  'positional-delete-files': number
  dvs: number
  'total-file-size-in-bytes': number
  /** As `result-delete-files`; of a deletion vector, its blob. */
  'total-delete-file-size-in-bytes': number
}

/** The prunes, in the order in which evidence gets stronger. */
export type PruneStage = 'manifest-list' | 'partition' | 'metrics'

/** A manifest or file that a prune dropped. */
export interface Dropped {
  readonly stage: PruneStage
  /** What was dropped. */
  readonly kind: 'data-manifest' | 'delete-manifest' | 'data-file' | 'delete-file'
  readonly path: string
  /** The parts of the filter that cannot hold there, in the array DSL, or in words if it was not the filter. */
  readonly why: readonly string[]
}

/** What a plan saw. */
export interface ScanReport {
  readonly tableLocation: string
  /** Undefined for a table that was never written. */
  readonly snapshotId: bigint | undefined
  readonly schemaId: number
  /** The bound filter in the array DSL. */
  readonly filter: string
  readonly projectedFieldIds: readonly number[]
  /** Wall time from the start of the plan to its last task, in milliseconds. */
  readonly planningDurationMs: number
  readonly metrics: Readonly<ScanMetrics>
}

/** A report together with everything that was dropped. */
export interface ScanExplanation extends ScanReport {
  readonly dropped: readonly Dropped[]
}

/** Counts what a plan sees; keeps what it drops only if asked to. */
export class ScanTrace {
  readonly metrics: ScanMetrics = {
    'total-data-manifests': 0,
    'total-delete-manifests': 0,
    'scanned-data-manifests': 0,
    'skipped-data-manifests': 0,
    'scanned-delete-manifests': 0,
    'skipped-delete-manifests': 0,
    'skipped-data-files': 0,
    'skipped-delete-files': 0,
    'result-data-files': 0,
    'result-delete-files': 0,
    'indexed-delete-files': 0,
    'equality-delete-files': 0,
    'positional-delete-files': 0,
    dvs: 0,
    'total-file-size-in-bytes': 0,
    'total-delete-file-size-in-bytes': 0,
  }
  readonly dropped: Dropped[] | undefined

  constructor(keepDropped = false) {
    this.dropped = keepDropped ? [] : undefined
  }

  /** Counts a drop; `why` runs only if drops are kept. */
  drop(stage: PruneStage, kind: Dropped['kind'], path: string, why: () => readonly string[]): void {
    this.metrics[`skipped-${kind}s`]++
    this.dropped?.push({ stage, kind, path, why: why() })
  }
}
