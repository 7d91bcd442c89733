import type { FormatSplit } from '../format-table/format-split.js'
import type { DataSplit } from './data-split.js'

/** A piece of a plan: files of a bucket, or a file of a format table. */
export type Split = DataSplit | FormatSplit

/** What a call of `createPlan` found. */
export class Plan {
  constructor(
    /** Undefined where there was nothing to plan. */
    readonly snapshotId: bigint | undefined,
    readonly splits: readonly Split[],
    /** Of the snapshot; undefined where it has none. */
    readonly watermark?: bigint | undefined,
    /** Streaming: the snapshot that the next plan begins with. */
    readonly nextSnapshotId?: bigint | undefined,
  ) {}
}

/** A plan of nothing. */
export const EMPTY_PLAN = new Plan(undefined, [])
