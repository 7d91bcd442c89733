import type { Column } from '../schema.js'
import type { CaseSplit, PaimonScan, Values } from './case.js'
import type { Row } from './rows.js'

/** What the runner asks of a reader. The real one goes through the public API; the runner's own tests use made-up ones. */
export interface PaimonEngine {
  /** Opens the table at `location`; `schemaFile` is the schema that a catalog would hand over for a table without one on disk. */
  open(location: string, schemaFile: string | undefined, scan: PaimonScan): Promise<PaimonEngineTable>
  /** The bytes, hash and buckets of a bucket key, by the function named. */
  bucket(vector: BucketVector): Promise<BucketAnswer>
}

export interface PaimonEngineTable {
  scan(columns: FieldTypes): PaimonEngineScan
  /** The rows of the system table that the scan names. */
  system(columns: readonly Column[], workers: number): Promise<EngineRows>
  listPartitions(): Promise<Values[]>
}

/** Types of the fields that a filter may name: the runner's own, to spell literals by. */
export type FieldTypes = readonly Column[]

export interface PaimonEngineScan {
  plan(): Promise<EnginePlan>
  /** With `_kind` where `kinds` asks for it. */
  rows(options: {
    readonly workers: number
    readonly columns: readonly Column[]
    readonly kinds: boolean
  }): Promise<EngineRows>
  count(workers: number): Promise<bigint>
  /** Plans of a stream until nothing is left, each with its rows, which have `_kind`. */
  stream(options: { readonly workers: number; readonly columns: readonly Column[] }): Promise<EngineStreamPlan[]>
}

/** A plan in the words of the cases: splits as they write them. */
export interface EnginePlan {
  readonly snapshotId: number | null
  readonly nextSnapshotId?: number | undefined
  readonly splits: readonly CaseSplit[]
}

export interface EngineRows {
  /** Names of the columns in order. */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

export interface EngineStreamPlan extends EngineRows {
  readonly plan: EnginePlan
}

export interface BucketVector {
  readonly function: 'default' | 'mod' | 'hive'
  readonly types: readonly string[]
  readonly value: readonly unknown[]
  /** Bits of a NaN that the value cannot tell. */
  readonly bits?: string
  readonly counts: readonly number[]
}

export interface BucketAnswer {
  readonly binaryRow?: string
  readonly hash?: number
  /** In the order of the counts; undefined: no bucket can be told. */
  readonly buckets: readonly (number | undefined)[]
}
