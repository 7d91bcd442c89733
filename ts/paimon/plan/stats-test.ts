import { compile } from '../../expr/compile.js'
import type { BoundLiteral } from '../../expr/node.js'
import { isTextOp } from '../../expr/ops.js'
import { compareLiteral, startsWithBytes } from '../../expr/value-test.js'
import { compareValues } from '../../types/compare.js'
import { isFloat } from '../../types/kinds.js'
import type { PrimitiveType, Value } from '../../types/types.js'
import { type ColumnStats, onlyNulls } from '../metadata/simple-stats.js'
import type { Predicate, PredicateLeaf } from './predicate.js'

/** Statistics of the columns of one file, manifest or the like. */
export interface StatsSubject {
  readonly rowCount: bigint
  /** What is known of a column, by its id. */
  column(fieldId: number): SubjectStats
}

/** Statistics of a column that may have been written as a narrower integer. */
export interface SubjectStats extends ColumnStats {
  /** The bits that a literal must fit: as the reference, a leaf with one that does not is left out. */
  readonly bits?: number
  /** Whether rows with NaN may lie above `max`, NaN being the greatest value. */
  readonly maxWithoutNan?: boolean
}

/** Compiles a filter to a test that is false only if no row can match, by what statistics tell. */
export function statsTest(predicate: Predicate): (subject: StatsSubject) => boolean {
  return compile(predicate, leafStatsTest)
}

function leafStatsTest(leaf: PredicateLeaf): (subject: StatsSubject) => boolean {
  const { op, term } = leaf
  // Statistics are of top-level columns.
  if (term.nested) return () => true
  const may = mayMatch(leaf)
  const float = isFloat(term.resultType)
  return ({ column, rowCount }) => {
    const stats = column(term.fieldId)
    if (stats.bits !== undefined && !leaf.literals.every(({ value }) => fitsBits(value, stats.bits as number)))
      return true
    if (onlyNulls(stats, rowCount)) return op === 'is-null'
    // As the reference: without bounds nothing is said, not even about nulls. A bound that is NaN is there, but says nothing.
    if (!float && (stats.min === undefined || stats.max === undefined)) return true
    return op === 'is-null' ? stats.nullCount !== 0n : may(stats)
  }
}

function fitsBits(value: Value, bits: number): boolean {
  return (
    typeof value === 'string' ||
    BigInt.asIntN(bits, BigInt(value as number | bigint)) === BigInt(value as number | bigint)
  )
}

/** Whether a value that is not null may match. Bounds may be wider than the values, and leave NaN out. */
function mayMatch({ op, term, literals }: PredicateLeaf): (stats: SubjectStats) => boolean {
  if (
    isTextOp(op) ||
    op === 'is-null' ||
    op === 'not-null' ||
    op === 'is-nan' ||
    op === 'not-nan' ||
    op === 'not-starts-with'
  )
    return () => true
  const type = term.resultType as PrimitiveType
  const float = isFloat(type)
  const literal = literals[0] as BoundLiteral
  if (op === 'starts-with') return ({ min, max }) => mayStartWith(min as Value, max as Value, literal.value)
  const compare = compareLiteral(type)
  const values = compareValues(type)
  const low = (min: Value): Value => (float && min === 0 ? -0 : min)
  const high = (max: Value): Value => (float && max === 0 ? 0 : max)
  const below = ({ max }: ColumnStats, one: BoundLiteral): boolean =>
    max !== undefined && compare(high(max as Value), one) < 0
  const above = ({ min }: ColumnStats, one: BoundLiteral): boolean =>
    min !== undefined && compare(low(min as Value), one) > 0
  const only = ({ min, max }: ColumnStats, one: BoundLiteral): boolean =>
    min !== undefined &&
    max !== undefined &&
    compare(min as Value, one) === 0 &&
    values(min as Value, max as Value) === 0 &&
    !maybeCut(min as Value)
  const inside = (stats: SubjectStats, one: BoundLiteral): boolean => {
    if (!one.exact) return false
    if (stats.maxWithoutNan === true && Number.isNaN(one.value)) return true
    return !below(stats, one) && !above(stats, one)
  }
  switch (op) {
    case 'eq':
    case 'in':
      return (stats) => literals.some((one) => inside(stats, one))
    case 'not-eq':
    case 'not-in':
      return float ? () => true : (stats) => !literals.some((one) => only(stats, one))
    case 'lt':
      return ({ min }) => min === undefined || compare(low(min as Value), literal) < 0
    case 'lt-eq':
      return ({ min }) => min === undefined || compare(low(min as Value), literal) <= 0
    // The reference gives a column with a NaN no upper bound.
    case 'gt':
      return ({ max, maxWithoutNan }) =>
        max === undefined || maxWithoutNan === true || compare(high(max as Value), literal) > 0
    case 'gt-eq':
      return ({ max, maxWithoutNan }) =>
        max === undefined || maxWithoutNan === true || compare(high(max as Value), literal) >= 0
    default:
      return () => true
  }
}

/** Writers cut bounds of strings at 16 characters, some without raising the upper one. */
function maybeCut(bound: Value): boolean {
  return typeof bound === 'string' ? [...bound].length === 16 : bound instanceof Uint8Array && bound.length === 16
}

function mayStartWith(min: Value | undefined, max: Value | undefined, prefix: Value): boolean {
  if (typeof prefix === 'string') {
    const order = compareValues({ kind: 'string' })
    if (min !== undefined && order(min, prefix) > 0 && !(min as string).startsWith(prefix)) return false
    return max === undefined || order(max, prefix) >= 0 || prefix.startsWith(max as string)
  }
  const order = compareValues({ kind: 'binary' })
  if (min !== undefined && order(min, prefix) > 0 && !startsWithBytes(min as Uint8Array, prefix as Uint8Array))
    return false
  return max === undefined || order(max, prefix) >= 0 || startsWithBytes(prefix as Uint8Array, max as Uint8Array)
}
