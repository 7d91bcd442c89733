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
      /** Go on while the next as many will fit into this many bytes, sending what there is ahead of the answer. */
      readonly credit: number
      /** Under which name to send it. */
      readonly stream: number
      /** Copy the batches here, for runtimes that refuse memory of others; nothing is sent ahead. */
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

/** A step's answer, and how many messages were sent ahead of it: they may arrive after it. */
export interface StreamedAnswer {
  readonly sent: number
  readonly step: Envelope<StepAnswer>
}

/** What a step sends ahead of its answer. */
export interface Ahead {
  readonly stream: number
  readonly batches: readonly WaitingBatch[]
}

/** What a job answers, by its `op`. */
export interface Answers {
  readonly step: StreamedAnswer
  readonly countRows: bigint
  readonly countDeletedPositions: bigint
  readonly parquetWrite: undefined
  readonly parquetFinish: undefined
}

export type Answer<J extends Job> = Envelope<Answers[J['op']]>
