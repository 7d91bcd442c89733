import { isFloat } from '../types/kinds.js'
import type { Value } from '../types/types.js'
import {
  allStartWith,
  type BoundsReader,
  boundsReader,
  fileRange,
  mayContain,
  mayStartWith,
  type Range,
} from './bounds.js'
import { compile } from './compile.js'
import { hasNoNans, hasNoNulls, onlyNans, onlyNulls } from './counts.js'
import type { BoundExpression, BoundLiteral, BoundPredicate, FileMetrics } from './node.js'

type Test = (file: FileMetrics) => boolean

/**
 * Compiles a bound filter to a test of a file's column metrics: true only if every row of the file matches, so also for
 * a file without rows. Says nothing about columns in structs and about transform terms.
 */
export function strictMetrics(bound: BoundExpression): Test {
  const test = compile(bound, leaf)
  return (file) => file.recordCount === 0n || test(file)
}

function leaf(predicate: BoundPredicate): Test {
  const { op, term } = predicate
  const { type } = term
  const id = term.fieldId
  if (term.nested === true || term.transform !== undefined) return () => false
  if (type.kind === 'struct' || type.kind === 'list' || type.kind === 'map') return () => false
  const float = isFloat(type)
  switch (op) {
    case 'is-null':
      return (file) => onlyNulls(file, id)
    case 'not-null':
      return (file) => hasNoNulls(file, term)
    case 'is-nan':
      return (file) => onlyNans(file, term)
    case 'not-nan':
      return (file) => hasNoNans(file, id) || onlyNulls(file, id)
  }
  const reader = boundsReader(type, predicate.literals)
  const all = allMatch(predicate, reader)
  const bounds: Test = (file) => all(fileRange(reader, file, term))
  switch (op) {
    case 'not-eq':
    case 'not-in':
    case 'not-starts-with':
      return (file) => onlyNulls(file, id) || (float && onlyNans(file, term)) || bounds(file)
    default:
      // A count that is not known may hide a null or NaN.
      return (file) => hasNoNulls(file, term) && (!float || hasNoNans(file, id)) && bounds(file)
  }
}

/** Whether every value between the bounds satisfies an operator that compares. */
function allMatch(predicate: BoundPredicate, reader: BoundsReader): (range: Range) => boolean {
  const { compare, literals } = reader
  const literal = literals[0] as BoundLiteral
  const equals = (range: Range, one: BoundLiteral): boolean =>
    reader.single(range) && compare(range.lower as Value, one) === 0
  const known = (range: Range): boolean => range.lower !== undefined || range.upper !== undefined
  switch (predicate.op) {
    case 'lt':
      return ({ upper }) => upper !== undefined && compare(upper, literal) < 0
    case 'lt-eq':
      return ({ upper }) => upper !== undefined && compare(upper, literal) <= 0
    case 'gt':
      return ({ lower }) => lower !== undefined && compare(lower, literal) > 0
    case 'gt-eq':
      return ({ lower }) => lower !== undefined && compare(lower, literal) >= 0
    case 'eq':
      return (range) => equals(range, literal)
    case 'in':
      return (range) => literals.some((one) => equals(range, one))
    case 'not-eq':
    case 'not-in':
      return (range) => known(range) && !literals.some((one) => mayContain(reader, range, one))
    case 'starts-with':
      return (range) => allStartWith(range, literal)
    case 'not-starts-with':
      return (range) => known(range) && !mayStartWith(range, literal)
    default:
      return () => false
  }
}
