/** What a worker thread takes beside all that it decodes. */
const THREAD_BYTES = 12 * 2 ** 20

/** What of a memory limit is for decoding: the rest is for the threads, but never more than half. */
export function decodeLimit(memoryLimit: number, numWorkers: number): number {
  return Math.max(Math.floor(memoryLimit / 2), memoryLimit - THREAD_BYTES * (numWorkers + 1))
}

/**
 * Who may decode, by decoded bytes. What the consumer still holds and what decoding works with count too, but never so
 * much that reading ahead stops: a quarter of the limit stays for it even when every batch is kept.
 *
 * The task at the head of the order may always go on when it has nothing to hand out, so that a full budget
 * can't stand still; every other one stays within an equal share.
 */
export class Budget {
  readonly #limit: number
  readonly #share: number
  readonly #taken: () => number
  #largest: number

  /** `taken` tells the bytes that are not for batches to come; `step` is how much a task decodes before it reports. */
  constructor(limit: number, window: number, step: number, taken: () => number) {
    this.#limit = limit
    this.#share = limit / window
    this.#taken = taken
    this.#largest = step
  }

  /** What a step may bring, by the largest so far; running steps are counted as that much. */
  get reserve(): number {
    return this.#largest
  }

  /** Notes the bytes of a step. */
  record(bytes: number): void {
    if (bytes > this.#largest) this.#largest = bytes
  }

  /**
   * Whether a task that has `own` bytes waiting may decode, when `all` bytes wait or are being decoded
   * for all tasks together.
   */
  allows(isHead: boolean, own: number, all: number): boolean {
    if (isHead && own === 0) return true
    if (own > 0 && own + this.#largest > this.#share) return false
    return all + this.#largest <= Math.max(this.#limit - this.#taken(), this.#limit / 4)
  }
}
