import type { Value } from '../types/types.js'
import type { BoundPredicate, PartitionExpression, PredicateOp } from './node.js'
import type { Side, Target } from './project.js'
import { codePointCount, truncate } from './transforms/truncate.js'

/** Projects `starts-with` and `not-starts-with` through truncate; no other transform says anything about prefixes. */
export function projectPrefix(leaf: BoundPredicate, target: Target, side: Side): PartitionExpression | undefined {
  const { transform } = target.field
  if (transform.kind !== 'truncate') return undefined
  const prefix = leaf.literals[0]?.value as string | Uint8Array
  const length = typeof prefix === 'string' ? codePointCount(prefix) : prefix.length
  const make = (op: PredicateOp, value: Value): PartitionExpression => ({
    op,
    index: target.index,
    field: target.field,
    type: target.type,
    literals: [{ value, exact: true }],
  })
  const negative = leaf.op === 'not-starts-with'
  // Java measures prefixes in UTF-16 units and says nothing on the weak side of longer ones; plans agree if we do so too.
  if (prefix.length > transform.width && (side === 'strict') !== negative) return undefined
  if (length < transform.width) return make(leaf.op, prefix)
  if (length === transform.width) return make(negative ? 'not-eq' : 'eq', prefix)
  // Longer than what the partition keeps: it can only exclude.
  return make(negative ? 'not-eq' : 'eq', truncate(transform.width, target.sourceType, prefix))
}
