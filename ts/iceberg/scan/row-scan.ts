import type { RecordBatch, Table } from 'apache-arrow'
import type { Row } from '../../arrow/values.js'
import { LakefoldError } from '../../base/errors.js'
import { readSettings, type ScanOptions } from '../../exec/options.js'
import { type BatchReader, openReader } from '../../reader/batch-reader.js'
import { readRows } from '../../reader/rows.js'
import { ScanTrace } from '../../scan/report.js'
import type { FileScanTask } from '../../task/scan-task.js'
import type { NestedField } from '../../types/types.js'
import { readPlan } from '../plan/read-plan.js'
import { Scan } from './base-scan.js'
import { countPlanned } from './count.js'
import { limitedTasks } from './limited-tasks.js'

/** Rows of a scan, as Arrow or otherwise; the same rows in the same order whichever method gives them. */
export abstract class RowScan<Self> extends Scan<Self> {
  /**
   * Plans, then opens a reader: a bad snapshot or manifest rejects here, a bad data file in the reader. With a limit,
   * manifests are read only as far as it takes.
   */
  async toBatchReader(options: ScanOptions = {}): Promise<BatchReader> {
    const { limit, signal } = readSettings(options)
    const projection = this.projection()
    if (limit === Number.POSITIVE_INFINITY || limit === 0) {
      const tasks = await this.planFiles({ signal })
      return this.#open(limit === 0 ? [] : tasks, options, projection)
    }
    const plan = this.plan({ signal, readAhead: 1 }, new ScanTrace())
    const factory = this.factory()
    return this.#open(
      await limitedTasks(plan, (planned) => this.piecesOf(factory, planned), limit),
      options,
      projection,
    )
  }

  /** All rows as one table. */
  async toTable(options: ScanOptions = {}): Promise<Table> {
    return (await this.toBatchReader(options)).toTable()
  }

  /** All rows as record batches, none of them empty. */
  async toBatches(options: ScanOptions = {}): Promise<RecordBatch[]> {
    return (await this.toBatchReader(options)).toBatches()
  }

  /** The rows of some files of the plan, in plan order; paths as the plan reports them, others are ignored. */
  async toBatchesForPaths(paths: readonly string[], options: ScanOptions = {}): Promise<RecordBatch[]> {
    const wanted = new Set(listOf('paths', paths))
    return this.#planned((task) => wanted.has(task.dataFile.path), options)
  }

  /**
   * The rows of some tasks of the plan, in plan order, each told by the path of its file and its start; others are ignored, so that
   * tasks of another split size give no rows.
   *
   * @throws LakefoldError INVALID_ARGUMENT if there are not as many starts as paths
   */
  async toBatchesForSplits(
    paths: readonly string[],
    starts: readonly (number | bigint)[],
    options: ScanOptions = {},
  ): Promise<RecordBatch[]> {
    if (listOf('paths', paths).length !== listOf('starts', starts).length) {
      throw new LakefoldError('INVALID_ARGUMENT', `${paths.length} paths but ${starts.length} starts were given`, {
        context: { paths: paths.length, starts: starts.length },
      })
    }
    const wanted = new Set(paths.map((path, i) => `${starts[i]}|${path}`))
    return this.#planned((task) => wanted.has(`${task.start}|${task.dataFile.path}`), options)
  }

  /**
   * The rows of tasks, in their order, without planning. Range, deletes and residual are the tasks'; schema, selection
   * and locations are this scan's.
   *
   * @param tasks of a plan or `FileScanTask.fromJson`, or the text of `planFilesJson({ full: true })`
   */
  async toBatchesForTasks(tasks: readonly FileScanTask[] | string, options: ScanOptions = {}): Promise<RecordBatch[]> {
    return (await this.toBatchReaderForTasks(tasks, options)).toBatches()
  }

  /** As {@link toBatchesForTasks}, a batch at a time: for a process that reads its share of a plan. */
  async toBatchReaderForTasks(
    tasks: readonly FileScanTask[] | string,
    options: ScanOptions = {},
  ): Promise<BatchReader> {
    readSettings(options)
    const projection = this.projection()
    const factory = this.factory(projection)
    const adopted = typeof tasks === 'string' ? this.readPlan(tasks) : tasksOf(tasks).map((task) => factory.adopt(task))
    return this.#open(options.limit === 0 ? [] : adopted, options, projection)
  }

  /** The tasks of a plan that `planFilesJson({ full: true })` printed. @throws LakefoldError CORRUPT_FILE naming the key */
  readPlan(text: string): FileScanTask[] {
    const { metadata, io } = this
    const context = { metadata, io, schema: this.rowSchema(), projection: this.projection() }
    return readPlan(text, context, this.plannedSnapshotId())
  }

  /** The exact number of rows; files that the manifests already count are not opened. The selection does not matter. */
  async count(options: ScanOptions = {}): Promise<bigint> {
    readSettings(options)
    const factory = this.factory([])
    const readAhead = options.limit === undefined ? undefined : 1
    const plan = this.plan({ signal: options.signal, readAhead }, new ScanTrace())
    return countPlanned(plan, (planned) => factory.task(planned), this.#withDefaults(options))
  }

  /** Rows as plain objects, for small results. */
  async *rows(options: ScanOptions = {}): AsyncGenerator<Row> {
    yield* readRows(await this.toBatchReader(options))
  }

  async #planned(wanted: (task: FileScanTask) => boolean, options: ScanOptions): Promise<RecordBatch[]> {
    readSettings(options)
    const projection = this.projection()
    const tasks = (await this.planFiles({ signal: options.signal })).filter(wanted)
    return (await this.#open(options.limit === 0 ? [] : tasks, options, projection)).toBatches()
  }

  #open(
    tasks: AsyncIterable<FileScanTask> | readonly FileScanTask[],
    options: ScanOptions,
    projection: readonly NestedField[],
  ): Promise<BatchReader> {
    return openReader({ tasks, projection, options: this.#withDefaults(options) })
  }

  #withDefaults(options: ScanOptions): ScanOptions {
    return { ...options, numWorkers: options.numWorkers ?? this.spec.numWorkers }
  }
}

/** Callers without types may hand in anything; a text in place of a list would be one of its letters. */
function listOf<T>(name: string, value: readonly T[]): readonly T[] {
  if (Array.isArray(value)) return value
  throw new LakefoldError('INVALID_ARGUMENT', `${name} must be a list`, { context: { field: name, value } })
}

function tasksOf(tasks: readonly FileScanTask[]): readonly FileScanTask[] {
  const at = listOf('tasks', tasks).findIndex((task) => task?.parts === undefined)
  if (at < 0) return tasks
  throw new LakefoldError('INVALID_ARGUMENT', 'tasks are those of a plan or of FileScanTask.fromJson()', {
    context: { field: `tasks[${at}]`, value: tasks[at] },
  })
}
