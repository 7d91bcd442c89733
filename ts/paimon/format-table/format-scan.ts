import { LakefoldError } from '../../base/errors.js'
import { parseFilter } from '../../expr/parse.js'
import type { Datum } from '../metadata/datum.js'
import { Options } from '../metadata/option.js'
import { SPLIT_TARGET_SIZE } from '../metadata/options.js'
import { bindPredicate } from '../plan/bind-predicate.js'
import { partitionFilterPredicate, partitionTest } from '../plan/partition-pruner.js'
import { Plan } from '../plan/plan.js'
import { allOf, onlyOver, type Predicate } from '../plan/predicate.js'
import type { PlanCounts } from '../plan/scan-metrics.js'
import type { ScanContext } from '../scan/scan-context.js'
import { FormatSplit } from './format-split.js'
import type { FormatTable } from './format-table.js'
import { isCuttable } from './line-options.js'
import { filesBelow, type ListedFile, partitionFolders } from './list-folders.js'

/** Plans a format table: lists its folders, and cuts files of lines into pieces. */
export class FormatTableScan {
  readonly table: FormatTable
  /** Of all columns. */
  readonly predicate: Predicate
  /** Those of the table, and the ones that the scan sets. */
  readonly options: Options
  private readonly limit: number | undefined
  private readonly wants: (values: readonly Datum[]) => boolean

  /** Checks the context; INVALID_ARGUMENT naming what a format table has not. */
  constructor(context: ScanContext) {
    this.table = context.formatTable as FormatTable
    const { schema } = this.table
    for (const [field, set] of [
      ['bucketFilter', context.bucket !== undefined],
      ['streamingMode', context.streaming],
      ['globalIndexResult', context.rowRanges !== undefined],
      ['branch', context.options.has('branch')],
      ['type', context.options.has('type') && context.options.get('type') !== 'format-table'],
    ] as const) {
      if (!set) continue
      throw new LakefoldError('INVALID_ARGUMENT', `${this.table.location}: a format table knows no ${field}`, {
        context: { file: this.table.location, option: field },
      })
    }
    this.options = new Options(new Map([...schema.options.map, ...context.options]), schema.options.source)
    this.limit = context.limit
    const filters = context.predicates.map((filter) =>
      bindPredicate(parseFilter(filter), schema.asShared, context.caseSensitive),
    )
    this.predicate = allOf(filters)
    const ids = new Set(schema.partitionFields.map((field) => field.id))
    const onPartition = allOf([
      partitionFilterPredicate(context.partitionFilter, schema),
      onlyOver(this.predicate, ids),
    ])
    const test = partitionTest(onPartition, schema.partitionFields)
    this.wants = (values) => test({ values, bytes: new Uint8Array(0), key: '' })
  }

  async plan(counts: PlanCounts, signal?: AbortSignal): Promise<Plan> {
    const splits: FormatSplit[] = []
    if (this.limit !== undefined && this.limit <= 0) return new Plan(undefined, splits)
    for await (const folder of partitionFolders(this.table, this.wants, signal)) {
      for await (const file of filesBelow(this.table, folder.path, signal)) {
        for (const [offset, length] of this.pieces(file)) {
          splits.push(new FormatSplit(folder.values, file.path, file.size, offset, length, this.table.format))
        }
      }
    }
    counts.resultFiles = splits.length
    return new Plan(undefined, splits)
  }

  async listPartitions(signal?: AbortSignal): Promise<readonly ReadonlyMap<string, Datum>[]> {
    const { partitionFields } = this.table.schema
    const partitions: ReadonlyMap<string, Datum>[] = []
    if (partitionFields.length === 0) return partitions
    for await (const { values } of partitionFolders(this.table, () => true, signal)) {
      partitions.push(new Map(partitionFields.map((field, i) => [field.name, values[i] as Datum])))
    }
    return partitions
  }

  /** Files of lines are cut each so many bytes, unless they are compressed or lines may hold their own end. */
  private pieces({ path, size }: ListedFile): readonly (readonly [number, number])[] {
    const target = this.options.get(SPLIT_TARGET_SIZE)
    if (target <= 0 || size <= target || !isCuttable(path, this.table.format, this.options)) return [[0, size]]
    const pieces: (readonly [number, number])[] = []
    for (let offset = 0; offset < size; offset += target) pieces.push([offset, Math.min(target, size - offset)])
    return pieces
  }
}
