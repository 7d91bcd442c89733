import { type Claim, native, type ScanMemory } from '../base/native.js'
import { decodeLimit } from './budget.js'
import type { WaitingBatch } from './jobs.js'
import type { ReadSettings } from './options.js'
import { run, runStep } from './pool.js'
import type { Decoder, DecodeStep } from './schedule.js'

/** A step ends once this many decoded bytes wait, so that other tasks get the thread and batches flow. */
const STEP_BYTES = 4 * 2 ** 20
/** A batch aims at this many decoded bytes at most: each costs the main thread the same, whatever its size. */
const BATCH_BYTES = 16 * 2 ** 20
/** Smaller pieces than this cost more than they hold. */
const LEAST_BYTES = 2 ** 16

/** At most `bytes`, and a small part of the limit, since every worker may hold one of it. */
function part(bytes: number, { memoryLimit, numWorkers }: ReadSettings): number {
  return Math.max(LEAST_BYTES, Math.min(bytes, Math.floor(memoryLimit / (8 * numWorkers))))
}

let copies: boolean | undefined

/** Whether batches must be copied, because this runtime takes no memory but its own. Asked once. */
function mustCopy(): boolean {
  copies ??= process.env.LAKEFOLD_COPY_BATCHES === '1' || !native().externalBuffers()
  return copies
}

/** The native side of one read: its cancel flag, its caches, its account of bytes. */
export class NativeScan {
  readonly #handle: number
  /** Bytes of the memory limit that are for decoding. */
  readonly decodeLimit: number
  /** Bytes that a step of a task decodes, about. */
  readonly stepBytes: number
  #closed = false
  #keepNative = false

  /** `dictionaries`: ids of the columns of strings that come as such. */
  constructor(settings: ReadSettings, dictionaries: readonly number[] = []) {
    const { batchSize, prune, verifyCrc } = settings
    const memoryLimit = decodeLimit(settings.memoryLimit, settings.numWorkers)
    this.decodeLimit = memoryLimit
    this.stepBytes = part(STEP_BYTES, settings)
    this.#handle = native().scanOpen(
      JSON.stringify({
        batchSize,
        batchBytes: part(BATCH_BYTES, settings),
        prune,
        verifyCrc,
        dictionaries,
        memoryLimit,
        workers: settings.numWorkers,
      }),
    )
  }

  /** For {@link run}. */
  get handle(): number {
    return this.#handle
  }

  /** Batches are left in the ledger even where JavaScript could not claim them: they are for Rust. */
  keepNative(): void {
    this.#keepNative = true
  }

  /** Bytes of this scan's batches. */
  memory(): ScanMemory {
    return this.#closed ? { live: 0, peak: 0, unclaimed: 0, working: 0 } : native().scanMemory(this.#handle)
  }

  /** Makes all tasks end with CANCELLED at their next page. */
  cancel(): void {
    if (!this.#closed) native().scanCancel(this.#handle)
  }

  /** Cancels, and frees everything but claimed batches. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    native().scanClose(this.#handle)
  }

  /** A decoder for the schedule, of tasks that are read one after the other; `documents` are the tasks as JSON. */
  decoder(documents: readonly string[]): Decoder<WaitingBatch> {
    let task: readonly string[] | number = documents
    const next = async (
      credit: number,
      ahead: (batches: readonly WaitingBatch[]) => void,
    ): Promise<DecodeStep<WaitingBatch>> => {
      const copy = !this.#keepNative && mustCopy()
      const answer = await runStep({ scan: this.#handle, task, maxBytes: this.stepBytes, credit, copy }, ahead)
      task = answer.handle
      return { pieces: answer.batches, done: answer.done }
    }
    const close = () => {
      if (typeof task === 'number' && !this.#closed) native().taskClose(this.#handle, task)
    }
    return { next, close }
  }

  async countRows(document: string): Promise<bigint> {
    return run({ op: 'countRows', scan: this.#handle, task: document })
  }

  async countDeletedPositions(document: string): Promise<bigint> {
    return run({ op: 'countDeletedPositions', scan: this.#handle, task: document })
  }
}

/** The memory of a batch: claimed from the ledger without a copy, or copied by the worker already. */
export function claimBatch(batch: WaitingBatch): Claim {
  return batch.claim ?? native().claim(batch.ticket)
}

/** The memory of a dictionary, a copy. */
export function claimDictionary(id: number): Claim {
  return native().claimDictionary(id, mustCopy())
}
