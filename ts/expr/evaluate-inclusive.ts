import { isFloat } from '../types/kinds.js'
import { fileRange, termBoundsReader } from './bounds.js'
import { compile } from './compile.js'
import { hasNoNans, hasNoNulls, onlyNans, onlyNulls } from './counts.js'
import { mayMatch } from './may-match.js'
import type { BoundExpression, BoundPredicate, FileMetrics } from './node.js'
import { isNegative } from './ops.js'
import { keepsOrder } from './transforms/index.js'

type Test = (file: FileMetrics) => boolean

/**
 * Compiles a bound filter to a test of a file's column metrics: false only if no row of the file can match.
 * A file without rows is dropped; one whose record count is negative is kept.
 */
export function inclusiveMetrics(bound: BoundExpression): Test {
  const test = compile(bound, leaf)
  return (file) => file.recordCount < 0n || (file.recordCount !== 0n && test(file))
}

/** Of a transform that does not keep order, only null is known to stay null. */
function anyOrder({ op, term }: BoundPredicate): Test {
  const nullMatches = op === 'is-null' || op === 'not-nan' || isNegative(op)
  return nullMatches ? () => true : (file) => !onlyNulls(file, term.fieldId)
}

function leaf(predicate: BoundPredicate): Test {
  const { op, term } = predicate
  const id = term.fieldId
  const float = isFloat(term.resultType)
  if (term.transform !== undefined && !keepsOrder(term.transform)) return anyOrder(predicate)
  switch (op) {
    case 'is-null':
      return (file) => !hasNoNulls(file, term)
    case 'not-null':
      return (file) => !onlyNulls(file, id)
    case 'is-nan':
      return (file) => !onlyNulls(file, id) && !hasNoNans(file, id)
    case 'not-nan':
      return (file) => !onlyNans(file, term)
  }
  const reader = termBoundsReader(term, predicate.literals)
  const may = mayMatch(predicate, reader)
  const bounds: Test = (file) => may(fileRange(reader, file, term))
  switch (op) {
    case 'not-eq':
    case 'not-in':
      return (file) => !hasNoNulls(file, term) || (float && !hasNoNans(file, id)) || bounds(file)
    case 'not-starts-with':
      return (file) => !hasNoNulls(file, term) || bounds(file)
    default:
      // Nulls that the counts may hide do not match either.
      return (file) => !onlyNulls(file, id) && !(float && onlyNans(file, { fieldId: id })) && bounds(file)
  }
}
