import { LakefoldError } from '../base/errors.js'
import type { TaskDataFile, TaskDeleteFile, TaskParts } from './document.js'
import { parseTask } from './parse.js'
import { printTask } from './print.js'

/**
 * One piece of a scan: a byte range of one data file, with all that is needed to turn it into rows, also in another
 * process. It never carries credentials. Immutable.
 *
 * @example
 * ```ts
 * for await (const task of table.scan().tasks()) queue.push(task.toJson())
 * // elsewhere
 * const batches = await table.scan().toBatchesForTasks([FileScanTask.fromJson(text)])
 * ```
 */
export class FileScanTask {
  readonly #parts: TaskParts
  /** First byte of the range. */
  readonly start: number
  /** Bytes in the range. */
  readonly length: number

  /** @internal Plans make tasks; others get them from a plan or from {@link FileScanTask.fromJson}. */
  constructor(parts: TaskParts, start: number, length: number) {
    if (!(Number.isSafeInteger(start) && Number.isSafeInteger(length) && start >= 0 && length >= 0)) {
      throw new LakefoldError('INVALID_ARGUMENT', `${parts.dataFile.path}: not a byte range: ${start}, ${length}`, {
        context: { file: parts.dataFile.path, start, length },
      })
    }
    this.#parts = parts
    this.start = start
    this.length = length
  }

  /** Reads what {@link FileScanTask.toJson} wrote; errors name the field. */
  static fromJson(text: string): FileScanTask {
    if (typeof text !== 'string') {
      throw new LakefoldError('INVALID_ARGUMENT', 'FileScanTask.fromJson() needs the text of a task', {
        context: { field: 'text', value: text },
      })
    }
    const { parts, start, length } = parseTask(text)
    return new FileScanTask(parts, start, length)
  }

  /** The file that holds the rows. */
  get dataFile(): TaskDataFile {
    return this.#parts.dataFile
  }

  /** What hides rows of the file: global equality, partition equality, then positions or a deletion vector. */
  get deleteFiles(): readonly TaskDeleteFile[] {
    return this.#parts.deleteFiles
  }

  /** Changelog tasks of deleted rows: only rows that these files hide are returned. */
  get onlyDeletedBy(): readonly TaskDeleteFile[] | undefined {
    return this.#parts.onlyDeletedBy
  }

  /** What is left of the filter for this file, in the array DSL; exactly `["true"]` when nothing is. */
  get residual(): string {
    return this.#parts.residual.text
  }

  /** Partition spec of the file. */
  get specId(): number {
    return this.#parts.dataFile.specId
  }

  /** Data sequence number of the file. */
  get dataSequenceNumber(): bigint {
    return this.#parts.dataFile.dataSequenceNumber
  }

  /** The snapshot that was planned. */
  get snapshotId(): bigint | undefined {
    return this.#parts.snapshotId
  }

  /** Everything but the range. */
  get parts(): TaskParts {
    return this.#parts
  }

  /** The task document (see `schema.json` beside this file): versioned JSON with exact 64-bit integers. */
  toJson(): string {
    return printTask(this.#parts, this.start, this.length)
  }

  /** The same file with another byte range. */
  withRange(start: number, length: number): FileScanTask {
    return new FileScanTask(this.#parts, start, length)
  }

  /** Whether `other` is of the same file of the same plan and begins where this one ends. */
  isFollowedBy(other: FileScanTask): boolean {
    return other.#parts === this.#parts && this.start + this.length === other.start
  }
}
