import { LakefoldError } from '../../base/errors.js'
import { type FilterInput, parseFilter } from '../../expr/parse.js'
import type { FileIO } from '../../io/file-io.js'
import { FormatTableScan } from '../format-table/format-scan.js'
import { branchPaths } from '../metadata/branches.js'
import { writeConsumer } from '../metadata/consumers.js'
import type { Datum } from '../metadata/datum.js'
import { BRANCH, CONSUMER_ID, TYPE } from '../metadata/options.js'
import { TablePaths } from '../metadata/paths.js'
import { type TableSchema, tableSchemaOf } from '../metadata/schema.js'
import { SchemaStore } from '../metadata/schema-store.js'
import { snapshotId } from '../metadata/snapshot-id.js'
import { planBatch } from '../plan/batch.js'
import { bindPredicate } from '../plan/bind-predicate.js'
import { printPredicate } from '../plan/exec-predicate.js'
import { fallbackView, planWithFallback } from '../plan/fallback.js'
import { findSnapshot } from '../plan/find-snapshot.js'
import { partitionFilterPredicate } from '../plan/partition-pruner.js'
import type { Plan } from '../plan/plan.js'
import { allOf, type Predicate } from '../plan/predicate.js'
import { filterSchema } from '../plan/row-id-filter.js'
import { MetricsRecorder, PlanCounts, type ScanMetrics } from '../plan/scan-metrics.js'
import type { ScanWish } from '../plan/scan-request.js'
import { type Start, startOf } from '../plan/start.js'
import { TableView } from '../plan/table-view.js'
import { StreamScanner } from '../stream/stream-scanner.js'
import { checkRowRanges, checkTable } from './check-table.js'
import type { ScanContext } from './scan-context.js'

/** What a plan reads, for the reader of its splits. */
export interface ScanTarget {
  readonly view: TableView
  readonly predicate: Predicate
  readonly fallback: TableView | undefined
}

/**
 * Plans a table as a context asks for. A batch scan gives one plan; a streaming one goes on from snapshot to snapshot.
 *
 * @example
 * ```ts
 * const scan = await TableScan.create(new ScanContextBuilder('/lake/db.db/t').withStreamingMode(true).finish())
 * for (let plan = await scan.createPlan(); plan.splits.length > 0; plan = await scan.createPlan()) console.log(plan.snapshotId)
 * ```
 */
export class TableScan {
  readonly #metrics = new MetricsRecorder()
  readonly #context: ScanContext
  readonly #target: ScanTarget | undefined
  readonly #format: FormatTableScan | undefined
  readonly #start: Start
  readonly #stream: StreamScanner | undefined
  readonly #wish: ScanWish | undefined
  readonly #fallbackWish: ScanWish | undefined
  #planned = false

  private constructor(init: {
    context: ScanContext
    target?: ScanTarget
    format?: FormatTableScan
    start: Start
    wish?: ScanWish
    fallbackWish?: ScanWish | undefined
  }) {
    const { context, target, start, wish } = init
    this.#context = context
    this.#target = target
    this.#format = init.format
    this.#start = start
    this.#wish = wish
    this.#fallbackWish = init.fallbackWish
    if (context.streaming && target !== undefined && wish !== undefined) {
      this.#stream = new StreamScanner(target.view, wish, start, context.restoredSnapshot)
    }
  }

  /**
   * Opens a scan: schema, options, predicate and partition filter are checked here.
   *
   * @throws LakefoldError FILE_NOT_FOUND if there is no table, UNKNOWN_COLUMN, INVALID_LITERAL, INVALID_ARGUMENT naming the option,
   *   UNSUPPORTED
   */
  static async create(context: ScanContext, signal?: AbortSignal): Promise<TableScan> {
    if (typeof context !== 'object' || context === null) {
      throw new LakefoldError('INVALID_ARGUMENT', 'A scan needs the context of a builder', {
        context: { field: 'context' },
      })
    }
    const io = typeof context.io === 'function' ? await context.io() : context.io
    if (context.formatTable !== undefined) return TableScan.#ofFormatTable(context)
    const view = await openView(context, io)
    if (view.options.get(TYPE) === 'format-table') {
      throw new LakefoldError('INVALID_ARGUMENT', `${context.path} is a format table: open it with its schema`, {
        context: { file: context.path, option: 'type' },
      })
    }
    checkTable(view)
    return TableScan.over(view, context, signal)
  }

  /** @internal A scan of a view whose options already hold the context's. */
  static async over(opened: TableView, context: ScanContext, signal?: AbortSignal): Promise<TableScan> {
    const start = startOf(opened.options)
    const view = await travelled(opened, start, context.streaming, signal)
    const predicate = bindAll(context, view.schema)
    // Checked here, so that a bad value fails before anything is planned.
    partitionFilterPredicate(context.partitionFilter, view.schema)
    if (context.rowRanges !== undefined) checkRowRanges(view)
    const wish = wishOf(context, predicate)
    const fallback = context.streaming ? undefined : await fallbackView(view, context.options)
    const fallbackWish = fallback === undefined ? undefined : wishOf(context, bindAll(context, fallback.schema))
    return new TableScan({ context, target: { view, predicate, fallback }, start, wish, fallbackWish })
  }

  static #ofFormatTable(context: ScanContext): TableScan {
    return new TableScan({ context, format: new FormatTableScan(context), start: { kind: 'latest-full' } })
  }

  /** The schema of the rows: of today, or of the snapshot that was asked for. */
  get schema(): TableSchema {
    return this.#format?.table.schema ?? (this.#target as ScanTarget).view.schema
  }

  /** What rows must satisfy, bound to the schema, in the array DSL. */
  get filterText(): string {
    return printPredicate(this.#format?.predicate ?? (this.#target as ScanTarget).predicate)
  }

  /** @internal */
  get target(): ScanTarget | undefined {
    return this.#target
  }

  /** @internal */
  get format(): FormatTableScan | undefined {
    return this.#format
  }

  get context(): ScanContext {
    return this.#context
  }

  /** Where a streaming scan stands: the snapshot that its next plan begins with, for `withRestoredSnapshot`. */
  get checkpoint(): bigint | undefined {
    return this.#stream?.checkpoint
  }

  /** Goes on with this snapshot at the next plan of a streaming scan; undefined: from where it would begin. */
  restore(nextSnapshot: number | bigint | undefined): void {
    if (this.#stream === undefined) {
      throw new LakefoldError('INVALID_ARGUMENT', 'A batch scan has no position to restore', {
        context: { field: 'nextSnapshot' },
      })
    }
    this.#stream.restore(nextSnapshot === undefined ? undefined : snapshotId(nextSnapshot))
  }

  /**
   * Tells that a checkpoint with this position, see {@link checkpoint}, is complete: the consumer of the option `consumer-id` begins there from
   * now on, and its snapshots no longer expire. Does nothing for undefined and without the option.
   *
   * @throws LakefoldError UNSUPPORTED if the storage takes no files, ACCESS_DENIED, IO_ERROR
   */
  async notifyCheckpointComplete(nextSnapshot: number | bigint | undefined): Promise<void> {
    const view = this.#stream === undefined ? undefined : this.#target?.view
    const id = view?.options.get(CONSUMER_ID)
    if (view === undefined || id === undefined || nextSnapshot === undefined) return
    await writeConsumer(view.io, view.paths, { id, nextSnapshot: snapshotId(nextSnapshot) })
  }

  /**
   * Plans. A batch scan plans once, and then fails with INVALID_ARGUMENT and `endOfScan` in its context; a streaming scan gives an empty
   * plan while nothing is new.
   */
  async createPlan(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Plan> {
    const { signal } = options
    const counts = new PlanCounts()
    const started = performance.now()
    if (this.#stream === undefined && this.#planned) {
      throw new LakefoldError('INVALID_ARGUMENT', 'End of scan: a batch scan has one plan', {
        context: { endOfScan: true },
      })
    }
    const plan = await this.#plan(counts, signal)
    this.#planned = true
    this.#metrics.record(counts, performance.now() - started)
    return plan
  }

  async #plan(counts: PlanCounts, signal: AbortSignal | undefined): Promise<Plan> {
    if (this.#format !== undefined) return this.#format.plan(counts, signal)
    if (this.#stream !== undefined) return this.#stream.plan(counts, signal)
    const { view, fallback } = this.#target as ScanTarget
    const wish = this.#wish as ScanWish
    if (fallback === undefined || this.#fallbackWish === undefined)
      return planBatch(view, wish, this.#start, counts, signal)
    return planWithFallback(view, fallback, wish, this.#fallbackWish, this.#start, counts, signal)
  }

  /** What plans saw so far: a copy. */
  getMetrics(): ScanMetrics {
    return this.#metrics.metrics()
  }

  /** The partitions of a format table, typed, in the order of their folders. @throws LakefoldError UNSUPPORTED for other tables */
  async listPartitions(signal?: AbortSignal): Promise<readonly ReadonlyMap<string, Datum>[]> {
    if (this.#format !== undefined) return this.#format.listPartitions(signal)
    throw new LakefoldError('UNSUPPORTED', 'listPartitions() is for format tables; other tables have $partitions', {
      context: { file: this.#context.path },
    })
  }
}

async function openView(context: ScanContext, io: FileIO): Promise<TableView> {
  const root = new TablePaths(context.path)
  const given = context.tableSchema
  let schema = given === undefined ? await new SchemaStore(io, root).latest() : tableSchemaOf(given, 'the table schema')
  const branch = context.options.get(BRANCH.key) ?? schema?.options.get(BRANCH) ?? root.branch
  if (given !== undefined && branch !== root.branch) {
    throw new LakefoldError('INVALID_ARGUMENT', 'A given table schema is only for the main branch', {
      context: { option: BRANCH.key, value: branch },
    })
  }
  const paths = branch === root.branch ? root : await branchPaths(io, root, branch)
  if (paths !== root) schema = await new SchemaStore(io, paths).latest()
  if (schema === undefined) {
    throw new LakefoldError(
      'FILE_NOT_FOUND',
      `${paths.schemaFolder} holds no schema: ${context.path} is no Paimon table`,
      {
        context: { file: paths.schemaFolder },
      },
    )
  }
  return TableView.open(io, paths, schema, context.rows).withOptions(context.options)
}

/** Time travel reads with the columns of then, a stream from there on too. */
async function travelled(view: TableView, start: Start, streaming: boolean, signal?: AbortSignal): Promise<TableView> {
  const travels =
    start.kind === 'snapshot' || start.kind === 'tag' || start.kind === 'version' || start.kind === 'watermark'
  if (!(travels || start.kind === 'timestamp' || start.kind === 'snapshot-full')) return view
  try {
    const snapshot = await findSnapshot(view, start, signal)
    return snapshot === undefined ? view : view.at(snapshot)
  } catch (error) {
    // A stream may begin where there is nothing yet, or nothing any more.
    if (streaming && error instanceof LakefoldError && error.code === 'UNKNOWN_SNAPSHOT') return view
    throw error
  }
}

/** The filters of a context, bound to a schema. */
export function bindAll({ predicates, caseSensitive }: ScanContext, schema: TableSchema): Predicate {
  const fields = filterSchema(schema)
  return allOf(predicates.map((filter: FilterInput) => bindPredicate(parseFilter(filter), fields, caseSensitive)))
}

function wishOf(context: ScanContext, predicate: Predicate): ScanWish {
  const { partitionFilter, bucket, limit, rowRanges, cache } = context
  return { predicate, partitionFilter, bucket, limit, rowRanges, cache }
}
