import type { Transform } from '../types/partition.js'
import type { JsonValue, PrimitiveType } from '../types/types.js'
import { toHex } from '../types/utf8.js'
import { allOf, anyOf, FALSE, notNull, TRUE } from './fold.js'
import type { BoundExpression, BoundLiteral, BoundPredicate } from './node.js'

/**
 * A bound filter as the JSON that the decoder runs, see `Filter` of the scan task. Every literal in it is a value of
 * its term's type: those with more digits, or more than a decimal's precision, are lowered to what they mean.
 */
export function toExec(bound: BoundExpression): JsonValue {
  return toJson(lower(bound))
}

/** The same filter with only exact literals of the type. */
export function lower(bound: BoundExpression): BoundExpression {
  switch (bound.op) {
    case 'true':
    case 'false':
      return bound
    case 'and':
      return allOf(bound.children.map(lower))
    case 'or':
      return anyOf(bound.children.map(lower))
    default:
      return lowerPredicate(bound)
  }
}

function lowerPredicate(predicate: BoundPredicate): BoundExpression {
  const { op, term } = predicate
  const literals = predicate.literals.filter(
    (literal) => literal.exact && side(term.resultType as PrimitiveType, literal) === 0,
  )
  if (literals.length === predicate.literals.length) return predicate
  if (op === 'in' || op === 'not-in') {
    if (literals.length === 0) return op === 'in' ? FALSE : TRUE
    return { op, term, literals }
  }
  if (op === 'eq') return FALSE
  if (op === 'not-eq') return TRUE
  const literal = predicate.literals[0] as BoundLiteral
  const outside = side(term.resultType as PrimitiveType, literal)
  const below = op === 'lt' || op === 'lt-eq'
  if (outside !== 0) return outside > 0 === below ? notNull(term) : FALSE
  // Between two values: the literal's `value` is the lower of them.
  return { op: below ? 'lt-eq' : 'gt', term, literals: [{ value: literal.value, exact: true }] }
}

/** Whether a decimal literal lies above (1) or below (-1) all values of its precision. */
function side(type: PrimitiveType, literal: BoundLiteral): -1 | 0 | 1 {
  if (type.kind !== 'decimal') return 0
  const limit = 10n ** BigInt(type.precision)
  const value = literal.value as bigint
  return value >= limit ? 1 : value <= -limit ? -1 : 0
}

function toJson(bound: BoundExpression): JsonValue {
  switch (bound.op) {
    case 'true':
      return true
    case 'false':
      return false
    case 'and':
      return { and: bound.children.map(toJson) }
    case 'or':
      return { or: bound.children.map(toJson) }
    default: {
      const { op, term, literals } = bound
      return {
        op,
        term: {
          'field-id': term.fieldId,
          ...(term.transform === undefined ? {} : { transform: transformJson(term.transform) }),
        },
        values: literals.map((literal) => literalJson(literal, term.resultType as PrimitiveType)),
      }
    }
  }
}

function transformJson(transform: Transform): JsonValue {
  if (transform.kind === 'bucket') return { bucket: transform.count }
  return transform.kind === 'truncate' ? { truncate: transform.width } : transform.kind
}

function literalJson(literal: BoundLiteral, type: PrimitiveType): JsonValue {
  const { value } = literal
  if (value instanceof Uint8Array) return toHex(value)
  if (typeof value === 'bigint') {
    if (type.kind === 'decimal') return value.toString()
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return value
}
