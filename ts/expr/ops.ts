import type { PredicateOp, SetOp, TextOp, UnaryOp } from './node.js'

/** The operator that holds where another does not (two-valued: null satisfies the negative one). */
export const NEGATED: Readonly<Record<PredicateOp, PredicateOp>> = {
  'is-null': 'not-null',
  'not-null': 'is-null',
  'is-nan': 'not-nan',
  'not-nan': 'is-nan',
  lt: 'gt-eq',
  'gt-eq': 'lt',
  gt: 'lt-eq',
  'lt-eq': 'gt',
  eq: 'not-eq',
  'not-eq': 'eq',
  'starts-with': 'not-starts-with',
  'not-starts-with': 'starts-with',
  in: 'not-in',
  'not-in': 'in',
}

const NEGATED_TEXT: Readonly<Record<TextOp, TextOp>> = {
  'ends-with': 'not-ends-with',
  'not-ends-with': 'ends-with',
  contains: 'not-contains',
  'not-contains': 'contains',
  like: 'not-like',
  'not-like': 'like',
}

/** Whether an operator is one of text alone. */
export function isTextOp(op: PredicateOp | TextOp): op is TextOp {
  return Object.hasOwn(NEGATED_TEXT, op)
}

/** The negation of any operator, see {@link NEGATED}. */
export function negatedOp(op: PredicateOp | TextOp): PredicateOp | TextOp {
  return isTextOp(op) ? NEGATED_TEXT[op] : NEGATED[op]
}

/** Whether an operator takes no literal. */
export function isUnary(op: PredicateOp | TextOp): op is UnaryOp {
  return op === 'is-null' || op === 'not-null' || op === 'is-nan' || op === 'not-nan'
}

/** Whether an operator takes a list of literals. */
export function isSet(op: PredicateOp | TextOp): op is SetOp {
  return op === 'in' || op === 'not-in'
}

/** Whether null and NaN satisfy an operator that compares. */
export function isNegative(op: PredicateOp | TextOp): boolean {
  return op.startsWith('not-') && op !== 'not-null' && op !== 'not-nan'
}
