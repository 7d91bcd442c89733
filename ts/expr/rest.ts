import { transformToText } from '../types/transform-text.js'
import type { JsonValue } from '../types/types.js'
import type { BoundExpression, BoundPredicate } from './node.js'
import { isSet, isUnary } from './ops.js'
import { literalToJson } from './print-literal.js'

/** A bound filter as an Iceberg REST expression; `and` and `or` become nested pairs. */
export function toRest(bound: BoundExpression): JsonValue {
  switch (bound.op) {
    case 'true':
      return true
    case 'false':
      return false
    case 'and':
    case 'or': {
      const { op } = bound
      return bound.children.map(toRest).reduce((left, right) => ({ type: op, left, right }))
    }
    default:
      return predicateToRest(bound)
  }
}

function predicateToRest(predicate: BoundPredicate): JsonValue {
  const { op, term, literals } = predicate
  const head = {
    type: op,
    term:
      term.transform === undefined
        ? term.name
        : { type: 'transform', transform: transformToText(term.transform), term: term.name },
  }
  if (isUnary(op)) return head
  const values = literals.map((literal) => literalToJson(predicate, literal))
  return isSet(op) ? { ...head, values } : { ...head, value: values[0] as JsonValue }
}
