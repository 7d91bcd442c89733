import { toExec } from '../../expr/exec.js'
import { allOf, anyOf } from '../../expr/fold.js'
import { canonicalName } from '../../expr/names.js'
import type { BoundExpression, BoundLiteral, BoundPredicate } from '../../expr/node.js'
import { isNegative, isSet, isUnary } from '../../expr/ops.js'
import { printLiteral, quote } from '../../expr/print-literal.js'
import { floorDiv } from '../../types/decimal.js'
import type { JsonValue } from '../../types/types.js'
import type { PaimonField, PaimonType } from '../metadata/types.js'
import { isLeaf, type Predicate, type PredicateLeaf } from './predicate.js'

/**
 * The filter as JSON for the decoder, whose operators have another meaning: there null satisfies the negative ones, and NaN none
 * that compares. So those become several. Times are counted there in the units of Arrow, which the types of `fields` tell.
 */
export function execPredicate(predicate: Predicate, fields: readonly PaimonField[]): JsonValue {
  return toExec(toBound(inMillis(predicate, typesById(fields))))
}

function typesById(fields: readonly PaimonField[], into = new Map<number, PaimonType>()): Map<number, PaimonType> {
  for (const { id, type } of fields) {
    into.set(id, type)
    if (type.kind === 'row') typesById(type.fields, into)
  }
  return into
}

function inMillis(predicate: Predicate, types: ReadonlyMap<number, PaimonType>): Predicate {
  if ('children' in predicate)
    return { ...predicate, children: predicate.children.map((child) => inMillis(child, types)) }
  if (!isLeaf(predicate)) return predicate
  const type = types.get(predicate.term.fieldId)
  const timestamp = type?.kind === 'timestamp' || type?.kind === 'timestamp_ltz'
  if (type?.kind !== 'time' && !(timestamp && type.precision <= 3)) return predicate
  const literals = predicate.literals.map((literal) => {
    const micros = literal.value as bigint
    return { ...literal, value: floorDiv(micros, 1000n), exact: literal.exact && micros % 1000n === 0n }
  })
  return { ...predicate, literals }
}

/** The filter as one of the shared meaning, by which indexes and the decoder go. */
export function toBound(predicate: Predicate): BoundExpression {
  if (isLeaf(predicate)) return lowerLeaf(predicate)
  if (!('children' in predicate)) return { op: predicate.op }
  const children = predicate.children.map(toBound)
  return predicate.op === 'and' ? allOf(children) : anyOf(children)
}

function lowerLeaf(leaf: PredicateLeaf): BoundExpression {
  const { op, term } = leaf
  const present: BoundExpression = { op: 'not-null', term, literals: [] }
  if (op === 'not-nan') return allOf([present, { op, term, literals: [] }])
  const { kind } = term.resultType
  if (kind === 'float' || kind === 'double') return lowerFloat(leaf, present)
  // The operators of text run as they are named.
  const test = leaf as BoundPredicate
  return isNegative(op) ? allOf([present, test]) : test
}

function lowerFloat(leaf: PredicateLeaf, present: BoundExpression): BoundExpression {
  const { op, term } = leaf
  const nan: BoundExpression = { op: 'is-nan', term, literals: [] }
  const number: BoundExpression = allOf([present, { op: 'not-nan', term, literals: [] }])
  const test = (literals: readonly BoundLiteral[]): BoundExpression => ({ ...(leaf as BoundPredicate), literals })
  const numbers = leaf.literals.filter(({ value }) => !Number.isNaN(value))
  const hasNan = numbers.length < leaf.literals.length
  switch (op) {
    case 'eq':
    case 'in':
      return anyOf([numbers.length === 0 ? { op: 'false' } : test(numbers), hasNan ? nan : { op: 'false' }])
    case 'not-eq':
    case 'not-in':
      return allOf([hasNan ? number : present, numbers.length === 0 ? { op: 'true' } : test(numbers)])
    case 'lt':
      return hasNan ? number : test(numbers)
    case 'lt-eq':
      return hasNan ? present : test(numbers)
    case 'gt':
      return hasNan ? { op: 'false' } : anyOf([test(numbers), nan])
    case 'gt-eq':
      return hasNan ? nan : anyOf([test(numbers), nan])
    default:
      return leaf as BoundPredicate
  }
}

/** The filter in the array DSL. */
export function printPredicate(predicate: Predicate): string {
  if (!isLeaf(predicate)) {
    if (!('children' in predicate)) return `["${predicate.op}"]`
    const [first, ...rest] = predicate.children.map(printPredicate)
    return `${`["${predicate.op}",`.repeat(rest.length)}${first}${rest.map((operand) => `,${operand}]`).join('')}`
  }
  const { op, term, literals } = predicate
  const head = `["${canonicalName(op)}",${quote(term.name)}`
  if (isUnary(op)) return `${head}]`
  const values = literals.map((literal) => printValue(predicate, literal))
  return isSet(op) ? `${head},[${values.join(',')}]]` : `${head},${values[0]}]`
}

function printValue(leaf: PredicateLeaf, literal: BoundLiteral): string {
  const { value } = literal
  // JSON has no words for these: they are told as text.
  if (typeof value === 'number' && !Number.isFinite(value)) return quote(String(value))
  return printLiteral(leaf as BoundPredicate, literal)
}
