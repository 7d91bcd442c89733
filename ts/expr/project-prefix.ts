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
  if (length < transform.width) return make(leaf.op, prefix)
  if (length === transform.width) return make(negative ? 'not-eq' : 'eq', prefix)
  // Longer than what the partition keeps: it can only exclude.
  const cut = truncate(transform.width, target.sourceType, prefix)
  if (negative) return side === 'strict' ? make('not-eq', cut) : undefined
  return side === 'inclusive' ? make('eq', cut) : undefined
}
