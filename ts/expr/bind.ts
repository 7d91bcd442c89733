import { LakefoldError } from '../base/errors.js'
import { compareValues } from '../types/compare.js'
import { typeName } from '../types/json.js'
import { isFloat } from '../types/kinds.js'
import { optionalParents, type Schema } from '../types/schema.js'
import { transformResultType, transformToText } from '../types/transform-text.js'
import type { PrimitiveType, Type } from '../types/types.js'
import { checkLeaf, invalidLeaf } from './check-leaf.js'
import { checkDepth } from './depth.js'
import { allOf, anyOf, FALSE, notNull, TRUE } from './fold.js'
import { type TypedLiteral, typeLiteral } from './literal.js'
import type {
  BoundExpression,
  BoundLiteral,
  BoundTerm,
  Expression,
  PredicateOp,
  UnboundPredicate,
  UnboundTerm,
} from './node.js'
import { isSet, isTextOp, NEGATED } from './ops.js'
import { keepsOrder } from './transforms/index.js'

export interface BindOptions {
  /** Whether column names must agree in case. */
  readonly caseSensitive: boolean
}

/**
 * Binds a filter to a schema: columns found, literals typed, `not` pushed to the leaves, constants folded.
 * Throws UNKNOWN_COLUMN, INVALID_LITERAL or INVALID_FILTER, naming column, operator and value.
 */
export function bind(expression: Expression, schema: Schema, options: BindOptions): BoundExpression {
  return new Binder(schema, options.caseSensitive).node(expression, false, 0)
}

class Binder {
  constructor(
    private readonly schema: Schema,
    private readonly caseSensitive: boolean,
  ) {}

  node(expression: Expression, negated: boolean, depth: number): BoundExpression {
    checkDepth(depth)
    switch (expression.op) {
      case 'true':
      case 'false':
        return (expression.op === 'true') === negated ? FALSE : TRUE
      case 'not':
        return this.node(expression.child, !negated, depth + 1)
      case 'and':
      case 'or': {
        const children = expression.children.map((child) => this.node(child, negated, depth + 1))
        return (expression.op === 'and') === negated ? anyOf(children) : allOf(children)
      }
      default:
        if (isTextOp(expression.op)) {
          throw new LakefoldError(
            'INVALID_FILTER',
            `Column "${expression.term.column}": ${expression.op} is only for Paimon tables`,
            {
              context: { column: expression.term.column, operator: expression.op },
            },
          )
        }
        return this.predicate(expression, negated ? NEGATED[expression.op] : expression.op)
    }
  }

  private predicate(predicate: UnboundPredicate, op: PredicateOp): BoundExpression {
    const term = this.term(predicate.term)
    checkLeaf(op, term, predicate.literals.length)
    if (op === 'is-null' || op === 'not-null') return nullTest(op, term)
    if (op === 'is-nan' || op === 'not-nan') return { op, term, literals: [] }
    const type = term.resultType as PrimitiveType
    if ((op === 'starts-with' || op === 'not-starts-with') && !hasPrefixes(type)) {
      throw invalidLeaf(`${op} needs a string, binary or fixed column, not ${typeName(type)}`, op, term)
    }
    // A prefix of a fixed value is shorter than the value.
    const literalType: PrimitiveType =
      type.kind === 'fixed' && (op === 'starts-with' || op === 'not-starts-with') ? { kind: 'binary' } : type
    const literals = predicate.literals.map((literal) =>
      typeLiteral(literal, literalType, { op: predicate.op, column: term.name }),
    )
    return isSet(op) ? setPredicate(op, term, literals) : comparison(op, term, literals[0] as TypedLiteral)
  }

  private term(unbound: UnboundTerm): BoundTerm {
    const column = this.schema.findByName(unbound.column, this.caseSensitive)
    const { type } = column.field
    const term = {
      fieldId: column.field.id,
      name: column.name,
      type,
      required: column.required,
      ...(column.path.length > 1 ? { nested: true, optionalParents: optionalParents(column) } : {}),
    }
    const { transform } = unbound
    if (transform === undefined || transform.kind === 'identity') return { ...term, resultType: type }
    const resultType = transformResultType(transform, type)
    if (resultType === undefined) {
      const text = transformToText(transform)
      throw new LakefoldError('INVALID_FILTER', `Transform ${text} does not apply to column "${column.name}"`, {
        context: { column: column.name, transform: text, type: typeName(type) },
      })
    }
    // As Java, which takes only a transform that keeps order to be null just for null.
    return { ...term, required: term.required && keepsOrder(transform), transform, resultType }
  }
}

function hasPrefixes(type: Type): boolean {
  return type.kind === 'string' || type.kind === 'binary' || type.kind === 'fixed'
}

function nullTest(op: 'is-null' | 'not-null', term: BoundTerm): BoundExpression {
  if (term.type.kind === 'unknown') return op === 'is-null' ? TRUE : FALSE
  if (term.required) return op === 'is-null' ? FALSE : TRUE
  return { op, term, literals: [] }
}

/** Every row with a value (for floats also: that is not NaN). */
function hasValue(term: BoundTerm): BoundExpression {
  const present = notNull(term)
  return isFloat(term.resultType) ? allOf([present, { op: 'not-nan', term, literals: [] }]) : present
}

function comparison(op: PredicateOp, term: BoundTerm, literal: TypedLiteral): BoundExpression {
  if (literal !== 'above' && literal !== 'below') return { op, term, literals: [literal] }
  switch (op) {
    case 'lt':
    case 'lt-eq':
      return literal === 'above' ? hasValue(term) : FALSE
    case 'gt':
    case 'gt-eq':
      return literal === 'below' ? hasValue(term) : FALSE
    default:
      return op === 'not-eq' ? TRUE : FALSE
  }
}

function setPredicate(op: 'in' | 'not-in', term: BoundTerm, typed: readonly TypedLiteral[]): BoundExpression {
  const literals = distinct(
    term.resultType,
    typed.filter((literal) => literal !== 'above' && literal !== 'below'),
  )
  if (literals.length === 0) return op === 'in' ? FALSE : TRUE
  if (literals.length === 1) return { op: op === 'in' ? 'eq' : 'not-eq', term, literals }
  return { op, term, literals }
}

/** The literals in their order, each once. */
function distinct(type: Type, literals: readonly BoundLiteral[]): readonly BoundLiteral[] {
  const compare = compareValues(type)
  const sorted = literals
    .map((literal, index) => ({ literal, index }))
    .sort((a, b) => compare(a.literal.value, b.literal.value) || compareRest(a.literal, b.literal) || a.index - b.index)
  return sorted
    .filter(({ literal }, at) => {
      const before = sorted[at - 1]?.literal
      return before === undefined || compare(before.value, literal.value) !== 0 || compareRest(before, literal) !== 0
    })
    .sort((a, b) => a.index - b.index)
    .map(({ literal }) => literal)
}

function compareRest(a: BoundLiteral, b: BoundLiteral): number {
  const [x, y] = [a.text ?? '', b.text ?? '']
  return x < y ? -1 : x > y ? 1 : 0
}
