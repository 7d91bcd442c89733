import { compile } from '../../expr/compile.js'
import type { NestedField, Value } from '../../types/types.js'
import type { ManifestMeta } from '../metadata/manifest-list.js'
import { PARTITION_DEFAULT_NAME } from '../metadata/options.js'
import { parsePartitionSpec } from '../metadata/partition-filter.js'
import type { TableSchema } from '../metadata/schema.js'
import { SimpleStats } from '../metadata/simple-stats.js'
import type { PaimonField } from '../metadata/types.js'
import type { Partition } from './partitions.js'
import { allOf, anyOf, type Predicate } from './predicate.js'
import { statsTest } from './stats-test.js'
import { leafTest } from './value-test.js'

/** A partition filter: any of the maps, each of which wants all its columns to have their values. */
export type PartitionFilter = readonly Readonly<Record<string, string>>[]

/** The filter as a predicate; UNKNOWN_COLUMN or INVALID_LITERAL for what is no partition value. No map at all: everything. */
export function partitionFilterPredicate(filter: PartitionFilter, schema: TableSchema): Predicate {
  if (filter.length === 0) return { op: 'true' }
  const defaultName = schema.options.get(PARTITION_DEFAULT_NAME)
  return anyOf(
    filter.map((spec) =>
      allOf(
        parsePartitionSpec(spec, schema.partitionFields, defaultName).map(({ field, value }) => {
          const { type } = schema.asShared.findField(field.id) as NestedField
          const term = { fieldId: field.id, name: field.name, type, required: false, resultType: type }
          return value === null
            ? { op: 'is-null', term, literals: [] }
            : { op: 'eq', term, literals: [{ value, exact: true }] }
        }),
      ),
    ),
  )
}

/** Drops partitions, and manifests that hold none that is wanted. */
export class PartitionPruner {
  private readonly known = new Map<Partition, boolean>()
  private readonly test: (partition: Partition) => boolean
  private readonly manifestTest: ReturnType<typeof statsTest>
  readonly isTrivial: boolean

  /** `predicate` looks only at partition columns. */
  constructor(
    predicate: Predicate,
    private readonly fields: readonly PaimonField[],
    also?: (partition: Partition) => boolean,
  ) {
    this.isTrivial = predicate.op === 'true' && also === undefined
    const test = partitionTest(predicate, fields)
    this.test = also === undefined ? test : (partition) => test(partition) && also(partition)
    this.manifestTest = statsTest(predicate)
  }

  wants(partition: Partition): boolean {
    if (this.isTrivial) return true
    let wanted = this.known.get(partition)
    if (wanted === undefined) {
      wanted = this.test(partition)
      this.known.set(partition, wanted)
    }
    return wanted
  }

  /** Whether a manifest may hold entries of a partition that is wanted. */
  mayHold(meta: ManifestMeta, list: string): boolean {
    if (this.isTrivial || meta.partitionStats === undefined) return true
    const rowCount = meta.numAddedFiles + meta.numDeletedFiles
    if (rowCount === 0n) return false
    const stats = new SimpleStats(meta.partitionStats, this.fields, {
      file: list,
      field: `${meta.fileName}: _PARTITION_STATS`,
    })
    return this.manifestTest({ rowCount, column: (id) => stats.column(id) })
  }
}

/** Compiles a predicate over partition columns to a test of a partition's values. */
export function partitionTest(predicate: Predicate, fields: readonly PaimonField[]): (partition: Partition) => boolean {
  return compile(predicate, (leaf) => {
    const index = fields.findIndex((field) => field.id === leaf.term.fieldId)
    const test = leafTest(leaf)
    return ({ values }) => test(values[index] as Value | null)
  })
}
