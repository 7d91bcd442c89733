import type { Value } from '../types/types.js'
import type { BoundPredicate, PartitionExpression, PredicateOp } from './node.js'
import type { Side, Target } from './project.js'
import { applyTransform } from './transforms/index.js'

/** Projects through a bucket transform: only equality survives inclusively, only inequality strictly. */
export function projectBucket(leaf: BoundPredicate, target: Target, side: Side): PartitionExpression | undefined {
  const op = RESULT[side][leaf.op]
  if (op === undefined) return undefined
  // An inexact literal equals no value, so there is no bucket to look in; not pruning by it is always right.
  const exact = leaf.literals.filter((literal) => literal.exact)
  if (exact.length === 0) return undefined
  const buckets = new Set<Value>(
    exact.map((literal) => applyTransform(target.field.transform, target.sourceType, literal.value) as Value),
  )
  const literals = [...buckets].map((value) => ({ value, exact: true }))
  return {
    op: literals.length === 1 ? op.one : op.many,
    index: target.index,
    field: target.field,
    type: target.type,
    literals,
  }
}

const EQUAL = { one: 'eq', many: 'in' } as const
const DIFFERENT = { one: 'not-eq', many: 'not-in' } as const
type Ops = Partial<Record<PredicateOp, typeof EQUAL | typeof DIFFERENT>>
const RESULT: Readonly<Record<Side, Ops>> = {
  inclusive: { eq: EQUAL, in: EQUAL },
  strict: { 'not-eq': DIFFERENT, 'not-in': DIFFERENT },
}
