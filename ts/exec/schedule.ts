import type { Budget } from './budget.js'

/** Anything that waits to be handed out, with its size. */
export interface Piece {
  readonly bytes: number
}

/** What one step of a task gives: the next pieces, in order, and whether that was all. */
export interface DecodeStep<P extends Piece> {
  readonly pieces: readonly P[]
  readonly done: boolean
}

/** One task at work. `next` is never called while it runs; `close` may be called at any time. */
export interface Decoder<P extends Piece> {
  /** Decodes up to `credit` bytes, or one step if that is more; `ahead` gets pieces that come before those it ends with. */
  next(credit: number, ahead: (pieces: readonly P[]) => void): Promise<DecodeStep<P>>
  close(): void
}

export interface ScheduleOptions<T, P extends Piece> {
  readonly tasks: AsyncIterable<T> | Iterable<T>
  readonly open: (task: T) => Decoder<P>
  /** How much a task adds to `tasksDone`: a part of one that is not its last adds nothing. Default: 1. */
  readonly counts?: (task: T) => number
  /** Tasks that decode at the same time. */
  readonly window: number
  readonly budget: Budget
}

interface Lane<P extends Piece> {
  readonly decoder: Decoder<P>
  readonly queue: P[]
  readonly counts: number
  /** Those that wait. */
  bytes: number
  busy: boolean
  /** Bytes that it may still decode, while it is busy. */
  credit: number
  done: boolean
  failure: { readonly error: unknown } | undefined
}

/** Decoded tasks may wait for a slow one ahead of them, this many for each place in the window. */
const WAITING_PER_PLACE = 16

/**
 * An ordered sliding window over tasks: as many decode at a time as the window has places, and their pieces come out
 * in the order of the tasks, whoever is done first. An error comes out in its task's place, after all pieces
 * before it. Knows nothing of threads, files or Arrow.
 */
export class Schedule<T, P extends Piece> {
  readonly #options: ScheduleOptions<T, P>
  readonly #source: AsyncIterator<T> | Iterator<T>
  readonly #lanes: Lane<P>[] = []
  #pulling = false
  #sourceDone = false
  #sourceFailure: { readonly error: unknown } | undefined
  #closed = false
  #tasksDone = 0
  #wake: (() => void) | undefined

  constructor(options: ScheduleOptions<T, P>) {
    this.#options = options
    const { tasks } = options
    this.#source = Symbol.asyncIterator in tasks ? tasks[Symbol.asyncIterator]() : tasks[Symbol.iterator]()
  }

  /** Tasks whose pieces have all been handed out. */
  get tasksDone(): number {
    return this.#tasksDone
  }

  /** The next piece in order; undefined at the end, and once closed. Not to be called while it runs. */
  async next(): Promise<P | undefined> {
    for (;;) {
      if (this.#closed) return undefined
      const head = this.#lanes[0]
      const piece = head?.queue.shift()
      if (head !== undefined && piece !== undefined) {
        head.bytes -= piece.bytes
        this.#pump()
        return piece
      }
      if (head?.failure !== undefined) throw head.failure.error
      if (head?.done) {
        this.#lanes.shift()
        this.#tasksDone += head.counts
        continue
      }
      if (head === undefined && !this.#pulling) {
        if (this.#sourceFailure !== undefined) throw this.#sourceFailure.error
        if (this.#sourceDone) return undefined
      }
      // Made before the pump, so that nothing can wake it too early.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#pump()
      await woken
    }
  }

  /** Gives everything up: closes the tasks at work and the source. Returns the pieces that were never handed out. */
  close(): readonly P[] {
    if (this.#closed) return []
    this.#closed = true
    const left = this.#lanes.flatMap((lane) => lane.queue)
    for (const lane of this.#lanes) lane.decoder.close()
    this.#lanes.length = 0
    if (!this.#sourceDone) {
      // Its answer, or its error, no longer matters.
      Promise.resolve(this.#source.return?.()).catch(() => {})
    }
    this.#stir()
    return left
  }

  #stir(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  #pump(): void {
    if (this.#closed) return
    const { window, budget } = this.#options
    const running = () => this.#lanes.filter((lane) => !lane.done && lane.failure === undefined).length
    const failed = this.#lanes.some((lane) => lane.failure !== undefined)
    if (
      !this.#pulling &&
      !this.#sourceDone &&
      !failed &&
      running() < window &&
      this.#lanes.length < window * WAITING_PER_PLACE
    ) {
      this.#pull()
    }
    let waiting = this.#lanes.reduce((sum, lane) => sum + lane.bytes + lane.credit, 0)
    for (const [index, lane] of this.#lanes.entries()) {
      if (lane.busy || lane.done || lane.failure !== undefined) continue
      const credit = budget.grant(index === 0, lane.bytes, waiting)
      if (credit === 0) continue
      waiting += credit
      this.#step(lane, credit)
    }
  }

  #pull(): void {
    this.#pulling = true
    const arrived = (result: IteratorResult<T>) => {
      this.#pulling = false
      if (result.done) this.#sourceDone = true
      else if (!this.#closed) {
        const decoder = this.#options.open(result.value)
        const counts = this.#options.counts?.(result.value) ?? 1
        this.#lanes.push({
          decoder,
          queue: [],
          counts,
          bytes: 0,
          busy: false,
          credit: 0,
          done: false,
          failure: undefined,
        })
      }
      this.#pump()
      if (this.#lanes.length === 0) this.#stir()
    }
    const failed = (error: unknown) => {
      this.#pulling = false
      this.#sourceDone = true
      this.#sourceFailure = { error }
      this.#stir()
    }
    Promise.resolve()
      .then(() => this.#source.next())
      .then(arrived)
      .catch(failed)
  }

  #step(lane: Lane<P>, credit: number): void {
    lane.busy = true
    lane.credit = credit
    const take = (pieces: readonly P[]) => {
      if (this.#closed) return
      const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0)
      this.#options.budget.record(bytes)
      lane.credit = Math.max(0, lane.credit - bytes)
      lane.bytes += bytes
      lane.queue.push(...pieces)
    }
    const ahead = (pieces: readonly P[]) => {
      take(pieces)
      if (lane === this.#lanes[0]) this.#stir()
    }
    const settled = () => {
      lane.busy = false
      lane.credit = 0
      this.#pump()
      if (lane === this.#lanes[0] || this.#closed) this.#stir()
    }
    Promise.resolve()
      .then(() => lane.decoder.next(credit, ahead))
      .then(
        ({ pieces, done }) => {
          lane.done = done
          take(pieces)
          settled()
        },
        (error: unknown) => {
          lane.failure = { error }
          settled()
        },
      )
  }
}
