import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import { bind } from '../../expr/bind.js'
import { TRUE } from '../../expr/fold.js'
import type { BoundExpression } from '../../expr/node.js'
import { type FilterInput, parseFilter } from '../../expr/parse.js'
import { printFilter } from '../../expr/print.js'
import type { FileIO } from '../../io/file-io.js'
import { type PlanJsonOptions, planToJson } from '../../scan/plan-json.js'
import { projectedFieldIds } from '../../scan/projected-ids.js'
import { type ScanExplanation, type ScanReport, ScanTrace } from '../../scan/report.js'
import { type ScanSpec, withChange } from '../../scan/spec.js'
import type { FileScanTask } from '../../task/scan-task.js'
import { Schema } from '../../types/schema.js'
import { metadataColumns, select } from '../../types/select.js'
import type { NestedField } from '../../types/types.js'
import type { ManifestCache } from '../manifest/cache.js'
import type { NameMapping } from '../metadata/name-mapping.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { PlanRequest } from '../plan/plan-context.js'
import type { PlannedFile } from '../plan/planned-file.js'
import { splitAndJoin, splitFile } from '../plan/split.js'
import { TaskFactory } from '../plan/task-factory.js'
import { groupTasks, type TaskGroupOptions, taskGroupOptions } from '../plan/task-groups.js'

/** How to plan; none of it changes the plan. */
export interface PlanOptions {
  /** Keeps manifests between plans. */
  readonly cache?: ManifestCache
  /** Cancels the plan. */
  readonly signal?: AbortSignal
  /** Manifests read at a time. Default 8. */
  readonly readAhead?: number
}

/** Filter, selection and plan: what every kind of scan has. Immutable: each setter returns a new scan. */
export abstract class Scan<Self> {
  /** The metadata that the scan was made from; later commits do not change it. */
  readonly metadata: TableMetadata
  protected readonly io: FileIO
  protected readonly spec: ScanSpec

  protected constructor(metadata: TableMetadata, io: FileIO, spec: ScanSpec) {
    this.metadata = metadata
    this.io = io
    this.spec = spec
  }

  /** The same scan with another spec or storage. */
  protected abstract derive(spec: ScanSpec, io: FileIO): Self
  /** The schema of rows and filter. */
  protected abstract rowSchema(): Schema
  /** The snapshot that a plan is of; undefined: there is none, so the plan is empty. */
  protected abstract plannedSnapshotId(): bigint | undefined
  /** The files of a plan, some at a time. Only called if there is a snapshot. */
  protected abstract planned(request: PlanRequest): AsyncIterable<PlannedFile[]>
  /** Whether the columns of a changelog exist. */
  protected readonly isChangelog: boolean = false

  protected with(change: Partial<ScanSpec>): Self {
    return this.derive(withChange(this.spec, change), this.io)
  }

  /**
   * Only rows that match, in any of four spellings; several filters must all hold.
   *
   * @example
   * ```ts
   * scan.filter(col('id').gt(10))
   * scan.filter(['>', 'id', 10])
   * scan.filter({ type: 'gt', term: 'id', value: 10 })
   * scan.filter("id > 10 and name is not null")
   * ```
   * @throws LakefoldError INVALID_FILTER here for what is no filter; when planning UNKNOWN_COLUMN or INVALID_LITERAL
   */
  filter(filter: FilterInput): Self {
    return this.with({ filters: [...this.spec.filters, parseFilter(filter)] })
  }

  /**
   * Only these columns, in this order; nothing: all columns. Dotted names step into structs, into lists by `element` and into maps by
   * `value`, whose keys come along.
   */
  select(...columns: string[]): Self {
    return this.with({ columns: columns.length === 0 ? undefined : columns })
  }

  /** Finds columns whatever their case. */
  caseInsensitive(): Self {
    return this.with({ caseSensitive: false })
  }

  /** Cuts files into tasks of at most about this many bytes where they may be cut; 0: a file is one task. */
  withSplitSize(bytes: number): Self {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new LakefoldError('INVALID_ARGUMENT', `A split size is a whole number of bytes, not ${bytes}`, {
        context: { field: 'splitSize', value: bytes },
      })
    }
    return this.with({ splitSize: bytes })
  }

  /** Reads files through `io`. */
  withIo(io: FileIO): Self {
    return this.derive(this.spec, io)
  }

  /** Plans tasks without residuals: the filter then only chooses files, and all rows of those are returned. */
  ignoreResiduals(): Self {
    return this.with({ ignoreResiduals: true })
  }

  /** Calls `listener` with a report after each plan that ran to its end. */
  reportTo(listener: (report: ScanReport) => void): Self {
    return this.with({ onReport: listener })
  }

  /** Whether the table has a snapshot at all. */
  hasAnySnapshot(): boolean {
    return this.metadata.snapshots.length > 0
  }

  /** The table's current schema. */
  currentSchema(): Schema {
    return this.metadata.currentSchema()
  }

  /** The schema of the rows that the scan returns: the selected columns, in order. @throws LakefoldError UNKNOWN_COLUMN */
  schema(): Schema {
    return new Schema({ schemaId: this.rowSchema().schemaId, fields: this.projection() })
  }

  /** Field ids of the selected columns in order, without metadata columns. */
  projectedFieldIds(): number[] {
    return projectedFieldIds(this.rowSchema(), this.spec.columns, this.spec.caseSensitive)
  }

  /** The table's name mapping, for files without field ids. */
  nameMapping(): NameMapping | undefined {
    return this.metadata.nameMapping()
  }

  /** The tasks in plan order, as manifests are read; leaving the loop stops reading. */
  async *tasks(options: PlanOptions = {}): AsyncGenerator<FileScanTask> {
    const factory = this.factory()
    for await (const files of this.planSteps(options, new ScanTrace())) {
      for (const planned of files) {
        throwIfAborted(options.signal)
        yield* this.piecesOf(factory, planned)
      }
    }
  }

  /** The whole plan. */
  async planFiles(options: PlanOptions = {}): Promise<FileScanTask[]> {
    const factory = this.factory()
    const tasks: FileScanTask[] = []
    for await (const files of this.planSteps(options, new ScanTrace())) {
      for (const planned of files) {
        const pieces = this.piecesOf(factory, planned)
        if (pieces.length === 1) tasks.push(pieces[0]!)
        else tasks.push(...pieces)
      }
    }
    return tasks
  }

  /** The whole plan, with manifests kept in `cache`. */
  async planFilesWith(cache: ManifestCache, options: PlanOptions = {}): Promise<FileScanTask[]> {
    return this.planFiles({ ...options, cache })
  }

  /** The whole plan as JSON text; `full` adds what `toBatchesForTasks` needs to read it back. */
  async planFilesJson(options: PlanOptions & PlanJsonOptions = {}): Promise<string> {
    return planToJson(await this.planFiles(options), this.projectedFieldIds(), options)
  }

  /**
   * The pieces of all files, as Iceberg's `splitFiles`: cut at split offsets, else each `splitSize` bytes. Manifests
   * come in the order of Java's plan, which is not that of the list, so that `planTasks` packs the same groups.
   */
  async splitFiles(options: TaskGroupOptions & PlanOptions = {}): Promise<FileScanTask[]> {
    const { splitSize } = taskGroupOptions(options)
    const factory = this.factory()
    const pieces: FileScanTask[] = []
    for await (const files of this.planSteps({ ...options, order: 'hash' }, new ScanTrace())) {
      for (const planned of files) {
        for (const piece of splitFile(factory.task(planned), planned.file.splitOffsets, splitSize)) pieces.push(piece)
      }
    }
    return pieces
  }

  /** Groups of file pieces of about `splitSize` bytes, packed as Iceberg's `planTasks`. */
  async planTasks(options: TaskGroupOptions & PlanOptions = {}): Promise<FileScanTask[][]> {
    return groupTasks(await this.splitFiles(options), taskGroupOptions(options))
  }

  /** Plans, and reports what was seen, and what each prune dropped and why. */
  async explain(options: PlanOptions = {}): Promise<ScanExplanation> {
    const trace = new ScanTrace(true)
    let report: ScanReport | undefined
    for await (const _ of this.planSteps(options, trace, (made) => (report = made)));
    return { ...report!, dropped: trace.dropped! }
  }

  /** The selected columns, and those of a changelog where nothing is selected. @throws LakefoldError UNKNOWN_COLUMN */
  protected projection(columns = this.spec.columns): readonly NestedField[] {
    const { caseSensitive } = this.spec
    const known = this.#metadataColumns()
    if (columns?.length === 0) return []
    const fields = select(this.rowSchema(), columns, { caseSensitive, metadataColumns: known, entersLists: true })
    if (columns !== undefined || !this.isChangelog) return fields
    return [...fields, ...CHANGE_COLUMNS.map((name) => known.get(name)!)]
  }

  /** Makes tasks; a plan is not bothered by selected columns that there are not: reading is. */
  protected factory(projection = this.projection(this.#knownColumns())): TaskFactory {
    return new TaskFactory({ metadata: this.metadata, io: this.io, schema: this.rowSchema(), projection })
  }

  /** Files in plan order. */
  protected async *plan(options: PlanOptions, trace: ScanTrace): AsyncGenerator<PlannedFile> {
    for await (const files of this.planSteps(options, trace)) {
      for (const planned of files) {
        throwIfAborted(options.signal)
        yield planned
      }
    }
  }

  /** Files in plan order, some at a time; reports once all were seen. */
  protected async *planSteps(
    options: PlanOptions & Pick<PlanRequest, 'order'>,
    trace: ScanTrace,
    onReport?: (report: ScanReport) => void,
  ): AsyncGenerator<PlannedFile[]> {
    const started = performance.now()
    const { metadata, io, spec } = this
    const snapshotId = this.plannedSnapshotId()
    const schema = this.rowSchema()
    // As Java: a filter is only bound where there is something to plan.
    const filter = snapshotId === undefined ? TRUE : this.#bound(schema)
    const { ignoreResiduals } = spec
    const request: PlanRequest = {
      metadata,
      io,
      schema,
      filter,
      ignoreResiduals,
      trace,
      ...planning(options),
      order: options.order,
    }
    if (snapshotId !== undefined) yield* this.planned(request)
    if (onReport === undefined && spec.onReport === undefined) return
    const report: ScanReport = {
      tableLocation: metadata.location,
      snapshotId,
      schemaId: schema.schemaId,
      filter: printFilter(filter),
      projectedFieldIds: projectedFieldIds(schema, this.#knownColumns(), spec.caseSensitive),
      planningDurationMs: performance.now() - started,
      metrics: { ...trace.metrics },
    }
    onReport?.(report)
    spec.onReport?.(report)
  }

  /** The tasks of a planned file: one, or its pieces by the scan's split size. */
  protected piecesOf(factory: TaskFactory, planned: PlannedFile): FileScanTask[] {
    const { splitSize } = this.spec
    const task = factory.task(planned)
    // Offsets are made when they are asked for.
    if (splitSize <= 0 || task.length <= splitSize) return [task]
    return splitAndJoin(task, planned.file.splitOffsets, splitSize)
  }

  #knownColumns(): readonly string[] | undefined {
    const { columns, caseSensitive } = this.spec
    const metadata = this.#metadataColumns()
    return columns?.filter(
      (name) =>
        this.rowSchema().lookup(name, caseSensitive) !== undefined ||
        metadata.has(caseSensitive ? name : name.toLowerCase()),
    )
  }

  #metadataColumns(): ReadonlyMap<string, NestedField> {
    return metadataColumns({ partitionType: this.metadata.partitionTypeUnion(), changelog: this.isChangelog })
  }

  #bound(schema: Schema): BoundExpression {
    const { filters, caseSensitive } = this.spec
    if (filters.length === 0) return TRUE
    return bind(filters.length === 1 ? filters[0]! : { op: 'and', children: filters }, schema, { caseSensitive })
  }
}

const CHANGE_COLUMNS = ['_change_type', '_change_ordinal', '_commit_snapshot_id']

function planning({ cache, signal, readAhead }: PlanOptions): PlanOptions {
  return { cache, signal, readAhead }
}
