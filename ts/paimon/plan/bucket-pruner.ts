import type { BoundLiteral } from '../../expr/node.js'
import type { Value } from '../../types/types.js'
import { type BucketFunction, bucketFunction } from '../metadata/bucket-function.js'
import type { Datum } from '../metadata/datum.js'
import { BUCKET, BUCKET_FUNCTION } from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import type { PaimonType } from '../metadata/types.js'
import type { Partition } from './partitions.js'
import {
  allOf,
  anyOf,
  conjuncts,
  isLeaf,
  onlyOver,
  type Predicate,
  type PredicateLeaf,
  referencedIds,
} from './predicate.js'
import { leafTest } from './value-test.js'

/** As the reference: beyond so many combinations of values no buckets are derived. */
const MAX_COMBINATIONS = 1000
/** Stands for any partition where the filter looks at none of its columns. */
const ANYWHERE: Partition = { bytes: new Uint8Array(0), values: [], key: '' }

/**
 * The buckets that rows which match a filter can be in, where it pins every bucket key by equality or `in`. They depend on the bucket
 * count that a file was written with, and hold only for files whose schema has the same keys, types and function.
 */
export class BucketPruner {
  private readonly known = new Map<Partition, Map<number, ReadonlySet<number> | undefined>>()
  private readonly hash: BucketFunction | undefined
  /** Whether the filter can pin the keys at all. */
  readonly active: boolean

  constructor(
    private readonly schema: TableSchema,
    private readonly predicate: Predicate,
  ) {
    const { bucketKeys, options } = schema
    const keyed = bucketKeys.length > 0 && options.get(BUCKET) !== -1 && predicate.op !== 'true'
    this.hash = keyed
      ? bucketFunction(
          options.get(BUCKET_FUNCTION),
          bucketKeys.map((key) => key.type),
        )
      : undefined
    this.active = this.hash !== undefined && mentionsAll(predicate, schema)
  }

  /** The buckets among `totalBuckets`; undefined where every bucket may hold matching rows. */
  buckets(partition: Partition, totalBuckets: number): ReadonlySet<number> | undefined {
    if (!this.active || totalBuckets <= 0) return undefined
    let byCount = this.known.get(partition)
    if (byCount === undefined) {
      byCount = new Map()
      this.known.set(partition, byCount)
    }
    if (!byCount.has(totalBuckets)) byCount.set(totalBuckets, this.derive(partition, totalBuckets))
    return byCount.get(totalBuckets)
  }

  /** The only bucket that can hold matching rows in any partition, where there is just one. */
  single(totalBuckets: number): number | undefined {
    const ids = new Set(this.schema.partitionFields.map((field) => field.id))
    if (!this.active || [...referencedIds(this.predicate)].some((id) => ids.has(id))) return undefined
    const buckets = this.buckets(ANYWHERE, totalBuckets)
    return buckets?.size === 1 ? [...buckets][0] : undefined
  }

  private derive(partition: Partition, totalBuckets: number): ReadonlySet<number> | undefined {
    const rows = this.keyValues(partition)
    if (rows === undefined) return undefined
    const buckets = new Set<number>()
    for (const row of rows) {
      const bucket = this.hash?.(row, totalBuckets)
      if (bucket === undefined) return undefined
      buckets.add(bucket)
    }
    return buckets
  }

  /** All combinations of values of the bucket keys; undefined where they are not pinned. */
  private keyValues(partition: Partition): readonly (readonly Datum[])[] | undefined {
    const keys = new Set(this.schema.bucketKeys.map((key) => key.id))
    const predicate = onlyOver(simplify(this.predicate, this.schema, partition), keys)
    const pinned = new Map<number, readonly Datum[]>()
    for (const part of conjuncts(predicate)) {
      const found = this.pinnedBy(part)
      if (found === undefined) continue
      if (found === 'doubtful') return undefined
      const others = pinned.get(found.id)
      const values = others === undefined ? found.values : found.values.filter((value) => holds(others, value))
      // As the reference: a contradiction pins nothing.
      if (values.length === 0) return undefined
      pinned.set(found.id, values)
    }
    let rows: (readonly Datum[])[] = [[]]
    for (const key of this.schema.bucketKeys) {
      const values = pinned.get(key.id)
      if (values === undefined || rows.length * values.length > MAX_COMBINATIONS) return undefined
      rows = rows.flatMap((row) => values.map((value) => [...row, value]))
    }
    return rows
  }

  /** The bucket key that a conjunct pins: one leaf, or leaves of one column joined by `or`. */
  private pinnedBy(
    part: Predicate,
  ): { readonly id: number; readonly values: readonly Datum[] } | 'doubtful' | undefined {
    const leaves = isLeaf(part) ? [part] : part.op === 'or' && 'children' in part ? part.children : []
    const values: Datum[] = []
    let id: number | undefined
    for (const leaf of leaves) {
      if (!isLeaf(leaf) || leaf.term.nested || (leaf.op !== 'eq' && leaf.op !== 'in')) return undefined
      if (id !== undefined && id !== leaf.term.fieldId) return undefined
      id = leaf.term.fieldId
      const key = this.schema.bucketKeys.find((field) => field.id === id)
      if (key === undefined) return undefined
      for (const literal of leaf.literals) {
        const value = exactKey(literal, key.type)
        if (value === undefined) return 'doubtful'
        values.push(value)
      }
    }
    return id === undefined ? undefined : { id, values }
  }
}

function holds(values: readonly Datum[], wanted: Datum): boolean {
  return values.some((value) =>
    value instanceof Uint8Array && wanted instanceof Uint8Array
      ? Buffer.compare(value, wanted) === 0
      : Object.is(value, wanted),
  )
}

function mentionsAll(predicate: Predicate, schema: TableSchema): boolean {
  const ids = new Set<number>()
  const visit = (node: Predicate): void => {
    if (isLeaf(node)) {
      if (node.op === 'eq' || node.op === 'in') ids.add(node.term.fieldId)
    } else if ('children' in node) node.children.forEach(visit)
  }
  visit(predicate)
  return schema.bucketKeys.every((key) => ids.has(key.id))
}

/** The filter as it is within one partition: leaves over its columns are decided. */
function simplify(predicate: Predicate, schema: TableSchema, partition: Partition): Predicate {
  if (schema.partitionFields.length === 0) return predicate
  const visit = (node: Predicate): Predicate => {
    if (isLeaf(node)) return decided(node, schema, partition) ?? node
    if (!('children' in node)) return node
    const children = node.children.map(visit)
    return node.op === 'and' ? allOf(children) : anyOf(children)
  }
  return visit(predicate)
}

function decided(leaf: PredicateLeaf, schema: TableSchema, partition: Partition): Predicate | undefined {
  const index = schema.partitionFields.findIndex((field) => field.id === leaf.term.fieldId)
  if (index < 0) return undefined
  return { op: leafTest(leaf)(partition.values[index] as Value | null) ? 'true' : 'false' }
}

/** A literal as a value of the key's own type; undefined where it is not exactly one. */
function exactKey({ value, exact }: BoundLiteral, type: PaimonType): Datum | undefined {
  if (!exact) return undefined
  switch (type.kind) {
    case 'tinyint':
      return Math.abs((value as number) + 0.5) < 128 ? value : undefined
    case 'smallint':
      return Math.abs((value as number) + 0.5) < 32768 ? value : undefined
    // A NaN has many forms.
    case 'float':
    case 'double':
      return Number.isNaN(value) ? undefined : value
    case 'decimal': {
      const limit = 10n ** BigInt(type.precision)
      return (value as bigint) < limit && (value as bigint) > -limit && !disputed(value as bigint, type.precision)
        ? value
        : undefined
    }
    case 'time':
      return (value as bigint) % 1000n === 0n ? value : undefined
    case 'timestamp':
    case 'timestamp_ltz':
      return type.precision <= 3 && (value as bigint) % 1000n !== 0n ? undefined : value
    default:
      return value
  }
}

/** Writers give wide decimals of these values a different number of bytes. */
function disputed(value: bigint, precision: number): boolean {
  if (precision <= 18 || value >= 0n) return false
  for (let bits = 7n; bits <= 127n; bits += 8n) if (value === -(1n << bits)) return true
  return false
}
