import type { PredicateOp, TextOp } from './node.js'

/** The array DSL's names of the operators; the first one is printed. */
const SPELLINGS: Readonly<Record<PredicateOp | TextOp, readonly string[]>> = {
  eq: ['=', '==', 'eq'],
  'not-eq': ['!=', '<>', 'ne', 'not-eq'],
  lt: ['<', 'lt'],
  'lt-eq': ['<=', 'lteq', 'le', 'lt-eq'],
  gt: ['>', 'gt'],
  'gt-eq': ['>=', 'gteq', 'ge', 'gt-eq'],
  'is-null': ['is-null', 'isnull'],
  'not-null': ['not-null', 'notnull', 'is-not-null'],
  'is-nan': ['is-nan', 'isnan'],
  'not-nan': ['not-nan', 'notnan', 'is-not-nan'],
  in: ['in'],
  'not-in': ['not-in', 'notin'],
  'starts-with': ['starts-with', 'startswith'],
  'not-starts-with': ['not-starts-with', 'notstartswith'],
  'ends-with': ['ends-with', 'endswith'],
  'not-ends-with': ['not-ends-with', 'notendswith'],
  contains: ['contains'],
  'not-contains': ['not-contains', 'notcontains'],
  like: ['like'],
  'not-like': ['not-like', 'notlike'],
}

const BY_NAME = new Map<string, PredicateOp | TextOp>(
  Object.entries(SPELLINGS).flatMap(([op, names]) => names.map((name) => [name, op as PredicateOp | TextOp] as const)),
)

/** The operator of an array DSL name, in any case. */
export function operatorNamed(name: string): PredicateOp | TextOp | undefined {
  return BY_NAME.get(name.toLowerCase())
}

/** The canonical array DSL name of an operator. */
export function canonicalName(op: PredicateOp | TextOp): string {
  return SPELLINGS[op][0] as string
}

/** The operator of an Iceberg REST expression type, in any case, with `_` or `-`. */
export function restOperator(type: string): PredicateOp | TextOp | undefined {
  const name = type.toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(SPELLINGS, name) ? (name as PredicateOp | TextOp) : undefined
}
