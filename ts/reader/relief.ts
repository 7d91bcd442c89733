import { setImmediate as turn } from 'node:timers/promises'
import { native, type ScanMemory } from '../base/native.js'

/**
 * Keeps dropped batches from piling up. V8 frees external memory only on a later turn of the event loop, and only once
 * it has collected; a `for await` over a fast reader gives it neither. Past an eighth of the limit the reader lets a turn
 * pass, which frees what was released; past half of it, if that does not help it asks for a collection, and if the consumer really holds all of it, asks again only
 * when twice as much is held.
 */
export class Relief {
  readonly #limit: number
  readonly #memory: () => ScanMemory
  #nextCollection: number

  constructor(limit: number, memory: () => ScanMemory) {
    this.#limit = limit
    this.#memory = memory
    this.#nextCollection = limit / 2
  }

  /** Bytes of batches that were handed out and are not freed. */
  held(): number {
    const { live, unclaimed } = this.#memory()
    return live - unclaimed
  }

  /** Bytes that batches yet to come may not have: those held, and those that decoding works with. */
  taken(): number {
    const { live, unclaimed, working } = this.#memory()
    return live - unclaimed + working
  }

  /** To be awaited before the next batch is handed out. */
  async wait(): Promise<void> {
    if (this.held() <= this.#limit / 8) return
    await turn()
    if (this.held() <= this.#nextCollection) return
    native().relieve(this.#limit)
    // The first turn runs the finalizers of what was collected, the second those that they enqueue.
    await turn()
    await turn()
    this.#nextCollection = Math.max(this.#limit / 2, this.held() * 2)
  }
}
