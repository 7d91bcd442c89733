import { Readable } from 'node:stream'
import type { RecordBatch, Schema, Table } from 'apache-arrow'
import { type ArrowLibrary, loadArrow } from '../arrow/library.js'
import { releaseBatch } from '../arrow/release.js'
import { cancelled } from '../base/abort.js'
import { LakefoldError } from '../base/errors.js'
import { stringifyJson } from '../base/json.js'
import { type ReadSettings, readSettings, type ScanOptions } from '../exec/options.js'
import { fieldToJson } from '../types/json.js'
import type { NestedField } from '../types/types.js'
import { dictionaryIds } from './dictionaries.js'
import { groupsOf } from './groups.js'
import { writeParquetFile } from './parquet.js'
import { pieceBytes, piecesOf, type TaskPiece } from './pieces.js'
import { BatchSource } from './source.js'

/** A task as readers need it: a document. */
export interface ReaderTask {
  toJson(): string
}

/** What {@link openReader} reads. */
export interface ReaderInput {
  readonly tasks: AsyncIterable<ReaderTask> | readonly ReaderTask[]
  readonly projection: readonly NestedField[]
  /** The projection as task documents have it, where its types are exacter than the shared ones. */
  readonly projectionJson?: string
  readonly options?: ScanOptions
  /** How many tasks there are, if that is known before they are all planned. */
  readonly numTasks?: number
}

/** Readers that were dropped without being read to the end or closed. */
const abandoned = new FinalizationRegistry<BatchSource>((source) => source.close())

/** Opens a reader over tasks. INVALID_ARGUMENT for bad options, UNSUPPORTED for types that Arrow can't hold. */
export async function openReader(input: ReaderInput): Promise<BatchReader> {
  return new BatchReader(input, await loadArrow())
}

/**
 * The rows of a scan as Arrow record batches, in plan order, the same for every `numWorkers`. Reads ahead within
 * `memoryLimit`, starting with the first batch that is asked for.
 *
 * Leaving a `for await` loop, {@link close}, an error or the end frees everything but the batches handed out; those are
 * freed with their last reference, or by `releaseBatch`. An error rejects the call that meets it, in its place in the
 * order, and is kept in {@link failure}.
 *
 * @example
 * ```ts
 * const reader = await table.scan().filter(col('a').gt(1)).toBatchReader()
 * for await (const batch of reader) console.log(batch.numRows)
 * ```
 */
export class BatchReader implements AsyncIterable<RecordBatch>, AsyncDisposable {
  /** The schema of every batch; fields carry their Iceberg id under the metadata key `PARQUET:field_id`. */
  readonly schema: Schema
  /** The columns as the table types them. */
  readonly projection: readonly NestedField[]
  readonly #arrow: ArrowLibrary
  readonly #settings: ReadSettings
  readonly #projectionJson: string
  readonly #dictionaries: readonly number[]
  readonly #source: BatchSource
  readonly #onAbort = () => this.#abort()
  readonly #numTasks: () => number
  #failure: LakefoldError | undefined
  #done = false
  #begun = false
  #turn: Promise<unknown> = Promise.resolve()
  #rejectPending: ((error: LakefoldError) => void) | undefined

  /** @internal Made by {@link openReader}. */
  constructor({ tasks, projection, projectionJson, options, numTasks }: ReaderInput, arrow: ArrowLibrary) {
    this.#arrow = arrow
    this.#settings = readSettings(options)
    this.projection = projection
    this.#dictionaries = dictionaryIds(projection, this.#settings.dictionaries)
    this.#projectionJson = projectionJson ?? stringifyJson(projection.map(fieldToJson))
    this.schema = arrow.arrowSchema(this.#projectionJson, this.#dictionaries)
    let seen = 0
    const known = Array.isArray(tasks) ? tasks.length : numTasks
    this.#numTasks = () => known ?? seen
    const { memoryLimit, numWorkers } = this.#settings
    async function* pieces(): AsyncGenerator<TaskPiece> {
      for await (const task of tasks) {
        seen += 1
        yield* piecesOf(task, pieceBytes(memoryLimit, numWorkers), numWorkers)
      }
    }
    this.#source = new BatchSource(arrow, groupsOf(pieces()), this.schema, this.#settings, this.#dictionaries)
    abandoned.register(this, this.#source)
    const { signal } = this.#settings
    if (signal?.aborted) this.#abort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** The number of tasks of the plan; where they are planned while they are read, those so far. */
  numTasks(): number {
    return this.#numTasks()
  }

  /** Rows handed out so far. */
  get rows(): number {
    return this.#source.rows
  }

  /** Whether no more batches will come: all were read, or the reader failed or was closed. */
  get done(): boolean {
    return this.#done
  }

  /** The error that ended the read. */
  get failure(): LakefoldError | undefined {
    return this.#failure
  }

  /** Whether an error ended the read. */
  failed(): boolean {
    return this.#failure !== undefined
  }

  /** Throws the error that ended the read, if one did. */
  raiseIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The next batch, or null at the end and once closed; never an empty one. Calls may overlap: they are answered in order. */
  nextBatch(): Promise<RecordBatch | null> {
    return this.#inTurn(async () => {
      const placed = await this.#source.next()
      // Closed or cancelled meanwhile: what came has been freed.
      if (placed === undefined || this.#done) return null
      return this.#source.claim(placed)
    })
  }

  /** The remaining batches; leaving the loop closes the reader. */
  async *batches(): AsyncGenerator<RecordBatch, void, undefined> {
    try {
      for (;;) {
        const batch = await this.nextBatch()
        if (batch === null) return
        yield batch
      }
    } finally {
      await this.close()
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<RecordBatch, void, undefined> {
    return this.batches()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Folds the remaining batches; `fn` may be asynchronous. */
  async fold<T>(init: T, fn: (accumulator: T, batch: RecordBatch) => T | Promise<T>): Promise<T> {
    let accumulator = init
    for await (const batch of this) accumulator = await fn(accumulator, batch)
    return accumulator
  }

  /** The remaining batches at once. */
  async toBatches(): Promise<RecordBatch[]> {
    const batches: RecordBatch[] = []
    for await (const batch of this) batches.push(batch)
    return batches
  }

  /** The remaining rows as one table. */
  async toTable(): Promise<Table> {
    return new this.#arrow.Table(this.schema, await this.toBatches())
  }

  /** The remaining batches as a web stream; cancelling it closes the reader. */
  toWebStream(): ReadableStream<RecordBatch> {
    return new ReadableStream<RecordBatch>(
      {
        pull: async (controller) => {
          const batch = await this.nextBatch()
          if (batch === null) controller.close()
          else controller.enqueue(batch)
        },
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    )
  }

  /** The remaining batches as a Node stream in object mode; destroying it closes the reader. */
  toNodeStream(): Readable {
    return Readable.from(this.batches(), { objectMode: true, highWaterMark: 1 })
  }

  /** The remaining rows as an Arrow IPC stream. */
  async toIPC(): Promise<Uint8Array> {
    const writer = new this.#arrow.RecordBatchStreamWriter()
    const bytes = writer.toUint8Array()
    writer.reset(undefined, this.schema)
    for await (const batch of this) writer.write(batch)
    writer.finish()
    return bytes
  }

  /**
   * Writes the rows to a Parquet file (zstd, field ids kept), which appears under its name once it is whole;
   * the rows never enter JavaScript. For a reader from which nothing was read. Returns the number of rows.
   */
  async writeParquet(path: string): Promise<number> {
    if (typeof path !== 'string' || path === '') {
      throw new LakefoldError('INVALID_ARGUMENT', 'writeParquet() needs the path of a file', {
        context: { field: 'path', value: path },
      })
    }
    if (this.#begun) {
      throw new LakefoldError('INVALID_ARGUMENT', 'writeParquet() needs a reader from which nothing was read', {
        context: { rows: this.rows },
      })
    }
    this.#source.keepNative()
    const next = () => this.#inTurn(async () => (await this.#source.next()) ?? null)
    try {
      await writeParquetFile(path, this.#projectionJson, this.#dictionaries, next)
      return this.rows
    } finally {
      await this.close()
    }
  }

  /** Frees the memory of a batch of this reader; see `releaseBatch`. */
  release(batch: RecordBatch): void {
    releaseBatch(batch)
  }

  /** Ends the read and frees everything but the batches handed out. May be called at any time, also again. */
  async close(): Promise<void> {
    this.#end()
  }

  #end(): void {
    this.#done = true
    this.#settings.signal?.removeEventListener('abort', this.#onAbort)
    this.#source.close()
  }

  #abort(): void {
    if (this.#done) return
    const error = cancelled(this.#settings.signal!)
    this.#failure = error
    this.#source.cancel()
    this.#end()
    this.#rejectPending?.(error)
  }

  /** Runs one step after those before it, ends the read at its end or error, and gives up at once when aborted. */
  #inTurn<T>(step: () => Promise<T | null>): Promise<T | null> {
    this.#begun = true
    const result = this.#turn.then(() => this.#step(step))
    this.#turn = result.catch(() => {})
    return result
  }

  async #step<T>(step: () => Promise<T | null>): Promise<T | null> {
    this.raiseIfFailed()
    if (this.#done) return null
    const aborted = new Promise<never>((_, reject) => {
      this.#rejectPending = reject
    })
    // Nobody may be waiting for it when it comes.
    aborted.catch(() => {})
    try {
      const value = await Promise.race([step(), aborted])
      this.#report()
      if (value === null) this.#end()
      return value
    } catch (error) {
      this.#failure ??= LakefoldError.is(error)
        ? error
        : new LakefoldError('INTERNAL', error instanceof Error ? error.message : String(error), { cause: error })
      this.#end()
      throw this.#failure
    } finally {
      this.#rejectPending = undefined
    }
  }

  #report(): void {
    this.#settings.onProgress?.({ tasksDone: this.#source.tasksDone, rows: this.rows })
  }
}
