/** What a worker thread takes beside all that it decodes. */
const THREAD_BYTES = 12 * 2 ** 20

/** What of a memory limit is for decoding: the rest is for the threads, but never more than half. */
export function decodeLimit(memoryLimit: number, numWorkers: number): number {
  return Math.max(Math.floor(memoryLimit / 2), memoryLimit - THREAD_BYTES * (numWorkers + 1))
}

/** A task decodes at most so much before it reports, so that the tasks of other reads get the thread. */
const MOST_CREDIT = 64 * 2 ** 20

/**
 * Who may decode, by decoded bytes. What the consumer still holds and what decoding works with count too, but never so
 * much that reading ahead stops: a quarter of the limit stays for it even when every batch is kept.
 *
 * The task at the head of the order may always go on when it has nothing to hand out, so that a full budget
 * can't stand still; every other one stays within an equal share.
 */
export class Budget {
  readonly #limit: number
  readonly #window: number
  readonly #taken: () => number
  #largest: number

  /** `taken` tells the bytes that are not for batches to come; `step` is how much a task decodes before it reports. */
  constructor(limit: number, window: number, step: number, taken: () => number) {
    this.#limit = limit
    this.#window = window
    this.#taken = taken
    this.#largest = step
  }

  /** Notes the bytes of a step, the least that a task decodes. */
  record(bytes: number): void {
    if (bytes > this.#largest) this.#largest = bytes
  }

  /**
   * How many bytes a task that has `own` waiting may decode, when `all` wait or may be decoded for all tasks together:
   * none, or a step at least.
   */
  grant(isHead: boolean, own: number, all: number): number {
    const available = Math.max(this.#limit - this.#taken(), this.#limit / 4)
    const room = available - all
    const step = this.#largest
    const allowed = own === 0 ? isHead || room >= step : room >= step && own + step <= this.#limit / this.#window
    return allowed ? Math.max(step, Math.min(room, available / this.#window - own, MOST_CREDIT)) : 0
  }
}
