import type { Schema } from 'apache-arrow'
import { type ArrowLibrary, loadArrow } from '../../arrow/library.js'
import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import type { ScanOptions } from '../../exec/options.js'
import { BatchReader } from '../../reader/batch-reader.js'
import { select } from '../../types/select.js'
import type { NestedField } from '../../types/types.js'
import { FormatSplit } from '../format-table/format-split.js'
import { DATA_EVOLUTION_ENABLED } from '../metadata/options.js'
import { DataSplit } from '../plan/data-split.js'
import type { Plan, Split } from '../plan/plan.js'
import { formatTasks } from './format-tasks.js'
import type { ScanContext } from './scan-context.js'
import { SplitTasks } from './split-tasks.js'
import { bindAll, TableScan } from './table-scan.js'
import type { SplitTask } from './task-document.js'
import { projectionJson, SYSTEM_COLUMNS } from './task-types.js'

/** What a read returns of the rows. */
export interface TableReadOptions {
  /** Columns in their order, dotted names into rows; also `_ROW_ID`, `_SEQUENCE_NUMBER`, `_VALUE_KIND`, `rowkind`. Default: all of the table. */
  readonly columns?: readonly string[] | undefined
  /**
   * Whether each row begins with its `_VALUE_KIND` (0 +I, 1 -U, 2 +U, 3 -D), and changes come with the rows that retract.
   * Default: for streaming scans. Where one of the columns is the kind, keys whose merged row retracts are returned too.
   */
  readonly rowKinds?: boolean | undefined
}

/**
 * Reads splits that a scan planned, with the scan's predicate applied to each row.
 *
 * @example
 * ```ts
 * const read = await TableRead.create(scan, { columns: ['id'] })
 * for await (const batch of read.toBatchReader(plan)) console.log(batch.numRows)
 * ```
 */
export class TableRead {
  readonly #arrow: ArrowLibrary
  readonly #scan: TableScan
  /** The columns of each row. */
  readonly projection: readonly NestedField[]
  readonly #keepDeletes: boolean
  readonly #keepMerged: boolean

  private constructor(
    arrow: ArrowLibrary,
    scan: TableScan,
    projection: readonly NestedField[],
    keepDeletes: boolean,
    keepMerged: boolean,
  ) {
    this.#arrow = arrow
    this.#scan = scan
    this.projection = projection
    this.#keepDeletes = keepDeletes
    this.#keepMerged = keepMerged
  }

  /** @throws LakefoldError UNKNOWN_COLUMN, and what `TableScan.create` throws where a context is given */
  static async create(scan: TableScan | ScanContext, options: TableReadOptions = {}): Promise<TableRead> {
    const opened = scan instanceof TableScan ? scan : await TableScan.create(scan)
    const { columns } = options
    const named = columns?.some((name) => name === '_VALUE_KIND' || name === 'rowkind') ?? false
    const kinds = options.rowKinds ?? (named || opened.context.streaming)
    const kind = SYSTEM_COLUMNS.get('_VALUE_KIND') as NestedField
    const chosen =
      columns?.length === 0
        ? []
        : select(opened.schema.asShared, columns, {
            caseSensitive: opened.context.caseSensitive,
            metadataColumns: SYSTEM_COLUMNS,
          })
    // Changes are files with some of the columns, a stream goes on to files of later schemas: what they lack is null, NOT NULL or not.
    const partial = opened.context.streaming || opened.target?.view.options.get(DATA_EVOLUTION_ENABLED) === true
    const fields = partial ? chosen.map((field) => ({ ...field, required: false })) : chosen
    return new TableRead(await loadArrow(), opened, kinds && !named ? [kind, ...fields] : fields, kinds, named)
  }

  /** The rows of a plan, or of some splits, in their order. Errors of files reject in their place in the order. */
  toBatchReader(plan: Plan | Split | readonly Split[], options: ScanOptions = {}): BatchReader {
    const splits =
      plan instanceof DataSplit || plan instanceof FormatSplit ? [plan] : 'splits' in plan ? plan.splits : plan
    const { projection } = this
    const numWorkers = options.numWorkers ?? this.#scan.context.numWorkers
    const input = {
      tasks: options.limit === 0 ? [] : this.#tasks(splits as readonly Split[]),
      projection,
      projectionJson: this.#projectionJson(),
      options: { ...options, ...(numWorkers === undefined ? {} : { numWorkers }) },
    }
    return new BatchReader(input, this.#arrow)
  }

  /** The schema of the batches, strings as such. */
  arrowSchema(): Schema {
    return this.#arrow.arrowSchema(this.#projectionJson(), [])
  }

  #projectionJson(): string {
    return stringifyJson(projectionJson(this.projection, this.#scan.schema.fields))
  }

  async *#tasks(splits: readonly Split[]): AsyncGenerator<SplitTask> {
    const { target, format, context } = this.#scan
    const settings = { projection: this.projection, keepDeletes: this.#keepDeletes, keepMerged: this.#keepMerged }
    if (format !== undefined) {
      const files = splits.filter((split) => split instanceof FormatSplit)
      yield* formatTasks(format, settings, files)
      return
    }
    if (target === undefined) return
    const main = new SplitTasks(target.view, { ...settings, predicate: target.predicate })
    let other: SplitTasks | undefined
    for (const split of splits) {
      if (split instanceof FormatSplit) {
        throw new LakefoldError('INVALID_ARGUMENT', `${split.filePath} is of a format table`, {
          context: { file: split.filePath },
        })
      }
      if (split.branch === target.view.paths.branch || target.fallback === undefined) {
        yield* await main.tasks(split)
        continue
      }
      const { fallback } = target
      other ??= new SplitTasks(fallback, { ...settings, predicate: bindAll(context, fallback.schema) })
      yield* await other.tasks(split)
    }
  }
}
