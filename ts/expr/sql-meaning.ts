import type { Expression, UnboundPredicate } from './node.js'
import { isNegative, negatedOp } from './ops.js'
import { CONSTANTS, junction, predicate } from './unbound.js'

/**
 * Gives a filter SQL's meaning: a comparison with null is neither true nor false, and `not` leaves it so. `not` goes to
 * the leaves, and those that null would satisfy get `and not-null`. The depth was bounded by the parser.
 */
export function sqlMeaning(expression: Expression, negated = false): Expression {
  switch (expression.op) {
    case 'true':
    case 'false':
      return (expression.op === 'true') === negated ? CONSTANTS.false : CONSTANTS.true
    case 'not':
      return sqlMeaning(expression.child, !negated)
    case 'and':
    case 'or': {
      const op = negated ? (expression.op === 'and' ? 'or' : 'and') : expression.op
      return junction(
        op,
        expression.children.map((child) => sqlMeaning(child, negated)),
      )
    }
    default:
      return leaf(expression, negated)
  }
}

function leaf(expression: UnboundPredicate, negated: boolean): Expression {
  const op = negated ? negatedOp(expression.op) : expression.op
  const { term, literals } = expression
  const test = predicate(op, term, literals)
  // Only then does the two-valued operator hold for null.
  return isNegative(op) || op === 'not-nan' ? junction('and', [test, predicate('not-null', term, [])]) : test
}
