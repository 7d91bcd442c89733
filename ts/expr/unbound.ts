import { parseTransform } from '../types/transform-text.js'
import { invalidFilter } from './invalid.js'
import type { Expression, PredicateOp, TextOp, UnboundLiteral, UnboundTerm } from './node.js'
import { NumberToken } from './number-token.js'

/** A literal of any spelling; JSON number tokens keep their digits. */
export function literal(value: unknown, spelling: UnboundLiteral['spelling']): UnboundLiteral {
  if (value instanceof NumberToken) return numberLiteral(value.text, spelling)
  // Shapes that no type takes (lists, objects, undefined) are refused when the column is known.
  return Object.freeze({ value: value as UnboundLiteral['value'], spelling })
}

/** A number by its token: whole ones exact at any size, others with the token beside the nearest double. */
export function numberLiteral(token: string, spelling: UnboundLiteral['spelling']): UnboundLiteral {
  if (/^-?\d+$/.test(token) && token !== '-0') {
    const number = Number(token)
    // A token of a thousand digits would cost time that grows with its square.
    const exact = Number.isSafeInteger(number) || token.length > 1000 ? number : BigInt(token)
    return Object.freeze({ value: exact, spelling, ...(Number.isFinite(number) ? {} : { token }) })
  }
  return Object.freeze({ value: Number(token), spelling, token })
}

/** A frozen predicate. */
export function predicate(
  op: PredicateOp | TextOp,
  term: UnboundTerm,
  literals: readonly UnboundLiteral[],
): Expression {
  return Object.freeze({ op, term: Object.freeze(term), literals: Object.freeze(literals) })
}

/** A frozen `and` or `or`; operands of the same operator on the left are taken in, as they mean the same. */
export function junction(op: 'and' | 'or', operands: readonly Expression[]): Expression {
  const first = operands[0]
  if (first === undefined) throw invalidFilter(`"${op}" needs at least one operand`, [])
  if (operands.length === 1) return first
  const children =
    first.op === op ? [...(first as { children: readonly Expression[] }).children, ...operands.slice(1)] : operands
  return Object.freeze({ op, children: Object.freeze(children) })
}

/** A frozen `not`. */
export function negation(child: Expression): Expression {
  return Object.freeze({ op: 'not', child })
}

/** The filter that every row satisfies, and the one that none does. */
export const CONSTANTS: { readonly true: Expression; readonly false: Expression } = Object.freeze({
  true: Object.freeze({ op: 'true' }),
  false: Object.freeze({ op: 'false' }),
})

/** A transform term; an unknown transform is an error, as nothing can be said about its values. */
export function transformTerm(transform: unknown, column: unknown): UnboundTerm {
  if (typeof transform !== 'string' || typeof column !== 'string') {
    throw invalidFilter('A transform term needs the names of a transform and of a column', transform, { column })
  }
  const parsed = parseTransform(transform)
  if (parsed.kind === 'unknown') throw invalidFilter('Unknown transform in a term', transform, { column, transform })
  return { column, transform: parsed }
}
