import type { DataType, RecordBatch, Schema, Vector } from 'apache-arrow'
import type { ArrowLibrary } from '../arrow/library.js'
import { head } from '../arrow/release.js'
import { native } from '../base/native.js'
import { Budget } from '../exec/budget.js'
import type { WaitingBatch } from '../exec/jobs.js'
import type { ReadSettings } from '../exec/options.js'
import { claimBatch, claimDictionary, NativeScan } from '../exec/scan.js'
import { Schedule } from '../exec/schedule.js'
import type { TaskGroup } from './groups.js'
import { Relief } from './relief.js'

/** A batch in its place, decoded and not yet claimed; `rows` may be cut by the limit. */
export interface PlacedBatch {
  readonly batch: WaitingBatch
  readonly rows: number
}

/** All batches of a read in order, cut to the limit, within the memory limit. Knows nothing of its consumers. */
export class BatchSource {
  readonly #arrow: ArrowLibrary
  readonly #settings: ReadSettings
  readonly #scan: NativeScan
  readonly #schedule: Schedule<TaskGroup, WaitingBatch>
  readonly #relief: Relief
  readonly #schema: Schema
  /** Those that more batches may name. */
  readonly #dictionaries = new Map<number, Vector>()
  #rows = 0

  constructor(
    arrow: ArrowLibrary,
    groups: AsyncIterable<TaskGroup> | Iterable<TaskGroup>,
    schema: Schema,
    settings: ReadSettings,
    dictionaries: readonly number[],
  ) {
    const { memoryLimit, numWorkers } = settings
    const scan = new NativeScan(settings, dictionaries)
    const relief = new Relief(memoryLimit, () => scan.memory())
    this.#arrow = arrow
    this.#settings = settings
    this.#scan = scan
    this.#relief = relief
    this.#schema = schema
    this.#schedule = new Schedule({
      tasks: groups,
      open: ({ documents }) => scan.decoder(documents),
      counts: ({ ends }) => ends,
      window: numWorkers,
      budget: new Budget(scan.decodeLimit, numWorkers, scan.stepBytes, () => relief.taken()),
    })
  }

  /** Rows handed out. */
  get rows(): number {
    return this.#rows
  }

  /** Tasks whose rows were all handed out. */
  get tasksDone(): number {
    return this.#schedule.tasksDone
  }

  /** The next batch as it waits in the ledger; undefined at the end. */
  async next(): Promise<PlacedBatch | undefined> {
    const left = this.#settings.limit - this.#rows
    if (left <= 0) return undefined
    await this.#relief.wait()
    const batch = await this.#schedule.next()
    if (batch === undefined) return undefined
    const rows = Math.min(batch.rows, left)
    this.#rows += rows
    return { batch, rows }
  }

  /** Takes a batch's memory over. */
  claim({ batch, rows }: PlacedBatch): RecordBatch {
    const claim = claimBatch(batch)
    const whole = this.#arrow.assembleBatch(claim, this.#schema, (id, type) => this.#dictionary(id, type))
    if (claim.dictionaries.length > 0) {
      for (const id of native().settleDictionaries(claim.dictionaries)) this.#dictionaries.delete(id)
    }
    return head(whole, rows)
  }

  #dictionary(id: number, type: DataType): Vector {
    let values = this.#dictionaries.get(id)
    if (values === undefined) {
      values = this.#arrow.assembleDictionary(claimDictionary(id), type)
      this.#dictionaries.set(id, values)
    }
    return values
  }

  /** Makes running tasks end at once. */
  cancel(): void {
    this.#scan.cancel()
  }

  /** Batches stay in the ledger even where they would be copied, for consumers in Rust. */
  keepNative(): void {
    this.#scan.keepNative()
  }

  /** Frees everything that was not handed out. */
  close(): void {
    this.#schedule.close()
    this.#scan.close()
    this.#dictionaries.clear()
    // What was handed out is for V8 to watch from here on.
    native().recount()
  }
}
