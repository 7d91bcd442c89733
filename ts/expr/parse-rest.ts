import { checkDepth } from './depth.js'
import { invalidFilter } from './invalid.js'
import { restOperator } from './names.js'
import type { Expression, UnboundLiteral, UnboundTerm } from './node.js'
import { isSet, isUnary } from './ops.js'
import { CONSTANTS, junction, literal, negation, predicate, transformTerm } from './unbound.js'

type RestObject = { readonly [key: string]: unknown }

function isObject(value: unknown): value is RestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses an Iceberg REST expression, such as `{"type": "lt", "term": "id", "value": 5}`. Throws INVALID_FILTER. */
export function parseRest(filter: unknown): Expression {
  return parseNode(filter, 0)
}

function typeOf(node: unknown): string {
  if (!isObject(node)) throw invalidFilter('An expression must be an object, true or false', node)
  if (typeof node.type !== 'string') throw invalidFilter('An expression must have a "type"', node.type)
  return node.type.toLowerCase().replaceAll('_', '-')
}

function parseNode(node: unknown, depth: number): Expression {
  checkDepth(depth)
  if (node === true || node === false) return node ? CONSTANTS.true : CONSTANTS.false
  const type = typeOf(node)
  const object = node as RestObject
  switch (type) {
    case 'true':
    case 'false':
      return CONSTANTS[type]
    case 'not':
      return negation(parseNode(part(object, type, 'child'), depth + 1))
    case 'and':
    case 'or':
      return parseJunction(type, object, depth)
    default:
      return parsePredicate(type, object)
  }
}

/** Walks down the left side, which grows with the number of operands. */
function parseJunction(op: 'and' | 'or', node: RestObject, depth: number): Expression {
  const rights: unknown[] = []
  let left: unknown = node
  while (isObject(left) && typeof left.type === 'string' && left.type.toLowerCase() === op) {
    rights.push(part(left, op, 'right'))
    left = part(left, op, 'left')
  }
  const operands = [parseNode(left, depth + 1)]
  for (const right of rights.reverse()) operands.push(parseNode(right, depth + 1))
  return junction(op, operands)
}

function part(node: RestObject, type: string, key: string): unknown {
  if (node[key] === undefined) throw invalidFilter(`"${type}" needs "${key}"`, type, { operator: type })
  return node[key]
}

function parsePredicate(type: string, node: RestObject): Expression {
  const op = restOperator(type)
  if (op === undefined) throw invalidFilter('Unknown expression type', type, { operator: type })
  const term = parseTerm(part(node, type, 'term'), type)
  const context = { operator: type, column: term.column }
  const refuse = (key: string): void => {
    if (node[key] !== undefined) throw invalidFilter(`"${type}" on "${term.column}" takes no "${key}"`, key, context)
  }
  if (isUnary(op)) {
    refuse('value')
    refuse('values')
    return predicate(op, term, [])
  }
  if (isSet(op)) {
    refuse('value')
    const values = part(node, type, 'values')
    if (!Array.isArray(values)) throw invalidFilter(`"${type}" on "${term.column}" needs a list`, values, context)
    return predicate(op, term, values.map(parseLiteral))
  }
  refuse('values')
  return predicate(op, term, [parseLiteral(part(node, type, 'value'))])
}

/** A literal may be wrapped: `{"type": "literal", "value": 5}`. */
function parseLiteral(value: unknown): UnboundLiteral {
  const wrapped = isObject(value) && value.type === 'literal' && 'value' in value
  return literal(wrapped ? value.value : value, 'rest')
}

function parseTerm(term: unknown, type: string): UnboundTerm {
  if (typeof term === 'string') return { column: term }
  if (isObject(term)) {
    if (term.type === 'reference' && typeof term.term === 'string') return { column: term.term }
    if (term.type === 'transform') {
      const inner = isObject(term.term) && term.term.type === 'reference' ? term.term.term : term.term
      return transformTerm(term.transform, inner)
    }
  }
  throw invalidFilter(`"${type}" needs a term: a column name, a reference or a transform`, term, { operator: type })
}
