import { transformToText } from '../types/transform-text.js'
import { canonicalName } from './names.js'
import type { BoundExpression, BoundPredicate } from './node.js'
import { isSet, isUnary } from './ops.js'
import { printLiteral, quote } from './print-literal.js'

/**
 * A bound filter in the array DSL: compact JSON, canonical operators, columns as the schema spells them, `and` and `or`
 * as nested pairs. Nothing left is exactly `["true"]`. Parsing and printing the text again gives the same text.
 */
export function printFilter(bound: BoundExpression): string {
  switch (bound.op) {
    case 'true':
    case 'false':
      return `["${bound.op}"]`
    case 'and':
    case 'or': {
      const [first, ...rest] = bound.children.map(printFilter)
      const open = `["${bound.op}",`.repeat(rest.length)
      return `${open}${first}${rest.map((operand) => `,${operand}]`).join('')}`
    }
    default:
      return printPredicate(bound)
  }
}

function printPredicate(predicate: BoundPredicate): string {
  const { op, term, literals } = predicate
  const column = quote(term.name)
  const shown = term.transform === undefined ? column : `[${quote(transformToText(term.transform))},${column}]`
  const head = `["${canonicalName(op)}",${shown}`
  if (isUnary(op)) return `${head}]`
  const values = literals.map((literal) => printLiteral(predicate, literal)).join(',')
  return isSet(op) ? `${head},[${values}]]` : `${head},${values}]`
}
