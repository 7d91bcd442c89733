import { checkDepth } from './depth.js'
import { invalidFilter } from './invalid.js'
import { operatorNamed } from './names.js'
import type { Expression, PredicateOp, TextOp, UnboundTerm } from './node.js'
import { isSet, isUnary } from './ops.js'
import { CONSTANTS, junction, literal, negation, predicate, transformTerm } from './unbound.js'

/** Parses the array DSL, such as `["and", [">", "id", 2], ["=", "region", "eu"]]`. Throws INVALID_FILTER. */
export function parseArray(filter: unknown): Expression {
  return parseNode(filter, 0)
}

function operatorOf(node: unknown): string {
  if (!Array.isArray(node)) throw invalidFilter('A filter must be a list that begins with an operator', node)
  if (node.length === 0) throw invalidFilter('A filter must not be an empty list', node)
  if (typeof node[0] !== 'string') throw invalidFilter('A filter must begin with an operator', node[0])
  return node[0].toLowerCase()
}

function parseNode(node: unknown, depth: number): Expression {
  checkDepth(depth)
  const operator = operatorOf(node)
  const operands = (node as readonly unknown[]).slice(1)
  switch (operator) {
    case 'true':
    case 'false':
      if (operands.length > 0) throw invalidFilter(`"${operator}" takes no operand`, operands[0], { operator })
      return CONSTANTS[operator]
    case 'not':
      if (operands.length !== 1)
        throw invalidFilter(`"not" takes one operand, not ${operands.length}`, node, { operator })
      return negation(parseNode(operands[0], depth + 1))
    case 'and':
    case 'or':
      return parseJunction(operator, node as readonly unknown[], depth)
    default:
      return parsePredicate(operator, operands)
  }
}

/** Walks down the left side, which grows with the number of operands that were printed as nested pairs. */
function parseJunction(op: 'and' | 'or', node: readonly unknown[], depth: number): Expression {
  const tails: (readonly unknown[])[] = []
  let first: unknown = node
  while (Array.isArray(first) && first.length > 1 && typeof first[0] === 'string' && first[0].toLowerCase() === op) {
    tails.push(first.slice(2))
    first = first[1]
  }
  if (tails.length === 0) throw invalidFilter(`"${op}" needs at least one operand`, node, { operator: op })
  const operands = [parseNode(first, depth + 1)]
  for (const tail of tails.reverse()) for (const operand of tail) operands.push(parseNode(operand, depth + 1))
  return junction(op, operands)
}

function parsePredicate(operator: string, operands: readonly unknown[]): Expression {
  const op = operatorNamed(operator)
  if (op === undefined) throw invalidFilter('Unknown operator', operator, { operator })
  if (operands.length === 0) throw invalidFilter(`"${operator}" needs a column`, operator, { operator })
  const term = parseTerm(operands[0], operator)
  const values = operands.slice(1)
  const wanted = isUnary(op) ? 0 : 1
  if (values.length !== wanted) {
    throw invalidFilter(
      `"${operator}" on column "${term.column}" takes ${wanted === 0 ? 'no value' : 'one value'}, not ${values.length}`,
      values[wanted],
      { operator, column: term.column },
    )
  }
  return predicate(op, term, literalsOf(op, operator, term, values))
}

function literalsOf(op: PredicateOp | TextOp, operator: string, term: UnboundTerm, values: readonly unknown[]) {
  if (!isSet(op)) return values.map((value) => literal(value, 'dsl'))
  const [list] = values
  if (!Array.isArray(list)) {
    throw invalidFilter(`"${operator}" on column "${term.column}" takes a list`, list, {
      operator,
      column: term.column,
    })
  }
  return list.map((value: unknown) => literal(value, 'dsl'))
}

function parseTerm(term: unknown, operator: string): UnboundTerm {
  if (typeof term === 'string') return { column: term }
  if (Array.isArray(term) && term.length === 2) return transformTerm(term[0], term[1])
  throw invalidFilter(`"${operator}" needs a column name`, term, { operator })
}
