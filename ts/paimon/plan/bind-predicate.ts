import { LakefoldError } from '../../base/errors.js'
import { checkLeaf, invalidLeaf } from '../../expr/check-leaf.js'
import { checkDepth } from '../../expr/depth.js'
import { typeLiteral } from '../../expr/literal.js'
import type {
  BoundLiteral,
  BoundTerm,
  Expression,
  PredicateOp,
  TextOp,
  UnboundLiteral,
  UnboundPredicate,
} from '../../expr/node.js'
import { isSet, isTextOp, isUnary, negatedOp } from '../../expr/ops.js'
import { typeName } from '../../types/json.js'
import { isFloat } from '../../types/kinds.js'
import type { Schema } from '../../types/schema.js'
import type { PrimitiveType } from '../../types/types.js'
import { allOf, anyOf, type Predicate } from './predicate.js'

/**
 * Binds a filter of any spelling to a Paimon schema: columns found, literals typed, `not` pushed to the leaves. The result has Paimon's
 * meaning, whatever the spelling. Throws UNKNOWN_COLUMN, INVALID_LITERAL or INVALID_FILTER naming column, operator and value.
 */
export function bindPredicate(expression: Expression, schema: Schema, caseSensitive = true): Predicate {
  return new Binder(schema, caseSensitive).node(expression, false, 0)
}

class Binder {
  constructor(
    private readonly schema: Schema,
    private readonly caseSensitive: boolean,
  ) {}

  node(expression: Expression, negated: boolean, depth: number): Predicate {
    checkDepth(depth)
    switch (expression.op) {
      case 'true':
      case 'false':
        return { op: (expression.op === 'true') === negated ? 'false' : 'true' }
      case 'not':
        return this.node(expression.child, !negated, depth + 1)
      case 'and':
      case 'or': {
        const children = expression.children.map((child) => this.node(child, negated, depth + 1))
        return (expression.op === 'and') === negated ? anyOf(children) : allOf(children)
      }
      default:
        return this.leaf(expression, negated ? negatedOp(expression.op) : expression.op)
    }
  }

  private leaf(predicate: UnboundPredicate, op: PredicateOp | TextOp): Predicate {
    const term = this.term(predicate)
    checkLeaf(op, term, predicate.literals.length)
    if (isUnary(op)) return { op, term, literals: [] }
    const type = term.resultType as PrimitiveType
    const onText = type.kind === 'string' || (type.kind === 'binary' && !isTextOp(op))
    if ((isTextOp(op) || op === 'starts-with' || op === 'not-starts-with') && !onText) {
      throw invalidLeaf(`${op} needs a string column, not ${typeName(type)}`, op, term)
    }
    const literals = predicate.literals.map((literal) => typed(literal, type, op, term))
    return isSet(op) ? membership(op, term, literals) : comparison(op, term, literals[0] as Typed)
  }

  private term({ term, op }: UnboundPredicate): BoundTerm {
    const column = this.schema.findByName(term.column, this.caseSensitive)
    const { type } = column.field
    if (term.transform !== undefined && term.transform.kind !== 'identity') {
      throw new LakefoldError('INVALID_FILTER', `Column "${column.name}": Paimon filters have no transforms`, {
        context: { column: column.name, operator: op },
      })
    }
    const nested = column.path.length > 1 ? { nested: true } : {}
    return { fieldId: column.field.id, name: column.name, type, required: column.required, ...nested, resultType: type }
  }
}

type Typed = BoundLiteral | 'above' | 'below'

const INFINITE: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity }

function typed(literal: UnboundLiteral, type: PrimitiveType, op: PredicateOp | TextOp, term: BoundTerm): Typed {
  if (isFloat(type) && literal.token === undefined) {
    const { value } = literal
    // In Paimon's order NaN and the infinities are values as others are.
    if (typeof value === 'number' && !Number.isFinite(value)) return { value, exact: true }
    if (typeof value === 'string' && Object.hasOwn(INFINITE, value))
      return { value: INFINITE[value] as number, exact: true }
  }
  const result = typeLiteral(literal, type, { op, column: term.name })
  if (!isFloat(type) || typeof result !== 'string') return result
  return { value: result === 'above' ? Infinity : -Infinity, exact: true }
}

/** A literal beyond the type's range decides for all values but null. */
function comparison(op: PredicateOp | TextOp, term: BoundTerm, literal: Typed): Predicate {
  if (literal !== 'above' && literal !== 'below') return { op, term, literals: [literal] }
  const all = { op: 'not-null', term, literals: [] } as const
  if (op === 'not-eq') return all
  if (op === 'lt' || op === 'lt-eq') return literal === 'above' ? all : { op: 'false' }
  if (op === 'gt' || op === 'gt-eq') return literal === 'below' ? all : { op: 'false' }
  return { op: 'false' }
}

function membership(op: 'in' | 'not-in', term: BoundTerm, typedLiterals: readonly Typed[]): Predicate {
  const literals = typedLiterals.filter((literal) => literal !== 'above' && literal !== 'below')
  if (literals.length === 0) return op === 'in' ? { op: 'false' } : { op: 'not-null', term, literals: [] }
  if (literals.length === 1) return { op: op === 'in' ? 'eq' : 'not-eq', term, literals }
  return { op, term, literals }
}
