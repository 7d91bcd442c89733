import type { Value } from '../types/types.js'
import { allStartWith, type BoundsReader, MAX_IN_LITERALS, mayContain, mayStartWith, type Range } from './bounds.js'
import type { BoundLiteral, PredicateOp } from './node.js'

/** Whether values between the bounds may satisfy an operator that compares. */
export function mayMatch(predicate: { readonly op: PredicateOp }, reader: BoundsReader): (range: Range) => boolean {
  const { compare, literals } = reader
  const literal = literals[0] as BoundLiteral
  switch (predicate.op) {
    case 'lt':
      return ({ lower }) => lower === undefined || compare(lower, literal) < 0
    case 'lt-eq':
      return ({ lower }) => lower === undefined || compare(lower, literal) <= 0
    case 'gt':
      return ({ upper }) => upper === undefined || compare(upper, literal) > 0
    case 'gt-eq':
      return ({ upper }) => upper === undefined || compare(upper, literal) >= 0
    case 'eq':
      return (range) => mayContain(reader, range, literal)
    case 'in':
      if (literals.length > MAX_IN_LITERALS) return () => true
      return (range) => literals.some((one) => mayContain(reader, range, one))
    case 'not-eq':
    case 'not-in':
      return (range) =>
        range.lower === undefined ||
        !reader.single(range) ||
        !literals.some((one) => compare(range.lower as Value, one) === 0)
    case 'starts-with':
      return (range) => mayStartWith(range, literal)
    case 'not-starts-with':
      return (range) => !allStartWith(range, literal)
    default:
      return () => true
  }
}
