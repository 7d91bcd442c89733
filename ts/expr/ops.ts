import type { PredicateOp, SetOp, UnaryOp } from './node.js'

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

/** Whether an operator takes no literal. */
export function isUnary(op: PredicateOp): op is UnaryOp {
  return op === 'is-null' || op === 'not-null' || op === 'is-nan' || op === 'not-nan'
}

/** Whether an operator takes a list of literals. */
export function isSet(op: PredicateOp): op is SetOp {
  return op === 'in' || op === 'not-in'
}

/** Whether null and NaN satisfy an operator that compares. */
export function isNegative(op: PredicateOp): boolean {
  return op === 'not-eq' || op === 'not-in' || op === 'not-starts-with'
}
