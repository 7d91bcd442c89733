import type { CaseScan } from './case.js'
import type { Json } from './json.js'
import type { Column } from './schema.js'

/** What the runner asks of a reader. The real one goes through the public API; the runner's own tests use made-up ones. */
export interface Engine {
  /** Opens `metadata` with the prefix `from` of its locations served by the folder `to`. */
  open(metadata: string, from: string, to: string): Promise<EngineTable>
  /** Releases what the engine holds (thread pools). */
  close?(): Promise<void>
}

export interface EngineTable {
  scan(scan: CaseScan): EngineScan
}

export interface EngineScan {
  plan(): Promise<EnginePlan>
  /** Rows as canonical JSON texts, in the order that the reader gives them. */
  rows(options: RowOptions): Promise<string[]>
  count(workers: number): Promise<bigint>
}

export interface RowOptions {
  readonly workers: number
  /** The types to read values by. */
  readonly columns: readonly Column[]
}

export interface EnginePlan {
  readonly files: readonly PlannedFile[]
  readonly splits?: readonly Range[]
  readonly tasks?: readonly (readonly Range[])[]
  readonly metrics?: { readonly [counter: string]: number | bigint | undefined }
}

export interface Range {
  readonly path: string
  readonly start: bigint
  readonly length: bigint
}

export interface PlannedDelete {
  readonly path: string
  readonly content: string
  readonly format: string
  readonly recordCount: bigint
  readonly fileSizeInBytes: bigint
  readonly specId: number
  readonly dataSequenceNumber: bigint
  readonly contentOffset?: bigint
  readonly contentSizeInBytes?: bigint
  readonly referencedDataFile?: string
  readonly equalityIds?: readonly number[]
}

export interface PlannedFile extends Range {
  /** INSERT or DELETE, of a changelog. */
  readonly operation?: string
  readonly changeOrdinal?: number
  readonly commitSnapshotId?: bigint
  readonly format: string
  readonly specId: number
  readonly partition: { readonly [field: string]: Json }
  readonly recordCount: bigint
  readonly fileSizeInBytes: bigint
  readonly dataSequenceNumber: bigint | undefined
  readonly fileSequenceNumber: bigint | undefined
  readonly firstRowId: bigint | undefined
  readonly deletes: readonly PlannedDelete[]
  /** Array DSL text. */
  readonly residual: string
}
