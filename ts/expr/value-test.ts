import { compareValues } from '../types/compare.js'
import type { PrimitiveType, Value } from '../types/types.js'
import { utf8 } from '../types/utf8.js'
import type { BoundLiteral, PredicateOp } from './node.js'

/** Compares a value with a literal; one that lies between two values is never equal to either. */
export type LiteralComparator = (value: Value, literal: BoundLiteral) => number

/** The comparator of a type's values with literals. */
export function compareLiteral(type: PrimitiveType): LiteralComparator {
  const compare = compareValues(type)
  // An inexact literal's `value` is the greatest value below it.
  return (value, literal) => compare(value, literal.value) || (literal.exact ? 0 : -1)
}

/** Whether `bytes` begin with `prefix`. */
export function startsWithBytes(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false
  return true
}

/** Membership in the literals, by binary search: it stays fast for the longest `in`. */
function memberOf(type: PrimitiveType, literals: readonly BoundLiteral[]): (value: Value) => boolean {
  const compare = compareValues(type)
  const sorted = literals.filter((literal) => literal.exact).map((literal) => literal.value)
  sorted.sort(compare)
  return (value) => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = compare(sorted[middle] as Value, value)
      if (order === 0) return true
      if (order < 0) low = middle + 1
      else high = middle
    }
    return false
  }
}

/**
 * Compiles what an operator says about one value: null and NaN satisfy `!=`, `not-in` and `not-starts-with` and no
 * other comparison; null satisfies `not-nan`; -0.0 is below 0.0.
 */
export function valueTest(
  op: PredicateOp,
  type: PrimitiveType,
  literals: readonly BoundLiteral[],
): (value: Value | null) => boolean {
  switch (op) {
    case 'is-null':
      return (value) => value === null
    case 'not-null':
      return (value) => value !== null
    case 'is-nan':
      return (value) => Number.isNaN(value)
    case 'not-nan':
      return (value) => !Number.isNaN(value)
    case 'in':
    case 'not-in': {
      const member = memberOf(type, literals)
      return op === 'in' ? (value) => value !== null && member(value) : (value) => value === null || !member(value)
    }
    case 'starts-with':
    case 'not-starts-with': {
      const test = prefixTest(literals[0] as BoundLiteral)
      return op === 'starts-with' ? (value) => value !== null && test(value) : (value) => value === null || !test(value)
    }
  }
  const compare = compareLiteral(type)
  const literal = literals[0] as BoundLiteral
  const comparable = (value: Value | null): value is Value => value !== null && !Number.isNaN(value)
  switch (op) {
    case 'lt':
      return (value) => comparable(value) && compare(value, literal) < 0
    case 'lt-eq':
      return (value) => comparable(value) && compare(value, literal) <= 0
    case 'gt':
      return (value) => comparable(value) && compare(value, literal) > 0
    case 'gt-eq':
      return (value) => comparable(value) && compare(value, literal) >= 0
    case 'eq':
      return (value) => comparable(value) && compare(value, literal) === 0
    case 'not-eq':
      return (value) => !comparable(value) || compare(value, literal) !== 0
  }
}

function prefixTest(literal: BoundLiteral): (value: Value) => boolean {
  const prefix = literal.value
  return typeof prefix === 'string'
    ? (value) => (value as string).startsWith(prefix)
    : (value) => startsWithBytes(value as Uint8Array, prefix as Uint8Array)
}

/** A string literal as its UTF-8 bytes; others as they are. */
export function literalBytes(literal: BoundLiteral): BoundLiteral {
  return typeof literal.value === 'string' ? { ...literal, value: utf8(literal.value) } : literal
}
