import type { Claim, Envelope, Ticket } from '../base/native.js'

/** What the main thread asks of a worker. Plain data. */
export type Job =
  | {
      readonly op: 'step'
      readonly scan: number
      /** The documents of tasks to open as a group, or the handle of an open one. */
      readonly task: readonly string[] | number
      /** Decode until this many bytes wait; at least one batch. */
      readonly maxBytes: number
      /** Copy the batches here, for runtimes that refuse memory of others. */
      readonly copy: boolean
    }
  | { readonly op: 'countRows' | 'countDeletedPositions'; readonly scan: number; readonly task: string }
  | { readonly op: 'parquetWrite'; readonly writer: number; readonly ticket: number; readonly rows: number }
  | { readonly op: 'parquetFinish'; readonly writer: number }

/** A batch that a step gave; `claim` is there if it was copied. */
export interface WaitingBatch extends Ticket {
  readonly claim?: Claim
}

/** What a `step` answers. `handle` is for the next step. */
export interface StepAnswer {
  readonly handle: number
  readonly batches: readonly WaitingBatch[]
  readonly done: boolean
}

/** What a job answers, by its `op`. */
export interface Answers {
  readonly step: StepAnswer
  readonly countRows: bigint
  readonly countDeletedPositions: bigint
  readonly parquetWrite: undefined
  readonly parquetFinish: undefined
}

export type Answer<J extends Job> = Envelope<Answers[J['op']]>
