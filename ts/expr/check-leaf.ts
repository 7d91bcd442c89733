import { LakefoldError } from '../base/errors.js'
import { typeName } from '../types/json.js'
import { isComparable, isFloat } from '../types/kinds.js'
import type { BoundTerm, PredicateOp, TextOp } from './node.js'
import { isSet, isUnary } from './ops.js'

/** An INVALID_FILTER error about an operator on a column. */
export function invalidLeaf(message: string, op: PredicateOp | TextOp, term: BoundTerm): LakefoldError {
  return new LakefoldError('INVALID_FILTER', `Column "${term.name}": ${message}`, {
    context: { column: term.name, operator: op, type: typeName(term.resultType) },
  })
}

/** Throws INVALID_FILTER where an operator does not take so many values, or not a column of the term's type. */
export function checkLeaf(op: PredicateOp | TextOp, term: BoundTerm, literals: number): void {
  const type = term.resultType
  const wanted = isUnary(op) ? 0 : 1
  if (!isSet(op) && literals !== wanted) {
    throw invalidLeaf(`${op} takes ${wanted === 0 ? 'no value' : 'one value'}, not ${literals}`, op, term)
  }
  if (op === 'is-null' || op === 'not-null') return
  if (op === 'is-nan' || op === 'not-nan') {
    if (!isFloat(type)) throw invalidLeaf(`${op} needs a float or double column, not ${typeName(type)}`, op, term)
  } else if (!isComparable(type)) {
    throw invalidLeaf(`a column of type ${typeName(type)} only knows is-null and not-null`, op, term)
  }
}
