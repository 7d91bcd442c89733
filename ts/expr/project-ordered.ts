import type { PrimitiveType, Value } from '../types/types.js'
import { join } from './fold.js'
import type { BoundLiteral, BoundPredicate, PartitionExpression, PredicateOp } from './node.js'
import type { Side, Target } from './project.js'
import { projectPrefix } from './project-prefix.js'
import { applyTransform } from './transforms/index.js'

const INT = { min: -(2n ** 31n), max: 2n ** 31n - 1n }
const LONG = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/** The least and greatest value of a type that wraps around, undefined for one that does not. */
function rangeOf(type: PrimitiveType): { readonly min: bigint; readonly max: bigint } | undefined {
  switch (type.kind) {
    case 'int':
    case 'date':
      return INT
    case 'long':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return LONG
    default:
      return undefined
  }
}

/** The literal and operator with an inexact literal rounded down: `< 1.005` at scale 2 is `<= 1.00`, `>=` is `>`. */
function exactRange(op: PredicateOp, literal: BoundLiteral): PredicateOp {
  if (literal.exact) return op
  return op === 'lt' ? 'lt-eq' : op === 'gt-eq' ? 'gt' : op
}

/** Projects through a transform that keeps order: truncate, year, month, day, hour. */
export function projectOrdered(leaf: BoundPredicate, target: Target, side: Side): PartitionExpression | undefined {
  const projector = new Projector(target, side)
  const literal = leaf.literals[0] as BoundLiteral
  switch (leaf.op) {
    case 'lt':
    case 'lt-eq':
    case 'gt':
    case 'gt-eq':
      return projector.range(exactRange(leaf.op, literal) as RangeOp, literal.value)
    case 'eq':
    case 'in':
      return side === 'inclusive' ? projector.set('in', leaf.literals) : undefined
    case 'not-eq':
    case 'not-in':
      return side === 'strict' ? projector.set('not-in', leaf.literals) : undefined
    case 'starts-with':
    case 'not-starts-with':
      return projectPrefix(leaf, target, side)
    default:
      return undefined
  }
}

type RangeOp = 'lt' | 'lt-eq' | 'gt' | 'gt-eq'

class Projector {
  private readonly steps: boolean

  constructor(
    private readonly target: Target,
    private readonly side: Side,
  ) {
    this.steps = target.sourceType.kind !== 'string' && target.sourceType.kind !== 'binary'
  }

  range(op: RangeOp, value: Value): PartitionExpression | undefined {
    const below = op === 'lt' || op === 'lt-eq'
    let from = value
    if (this.steps) {
      // The step turns `<` into `<=` inclusively, `<=` into `<` strictly; mirrored for `>`.
      const stepping = this.side === 'inclusive' ? op === 'lt' || op === 'gt' : op === 'lt-eq' || op === 'gt-eq'
      if (stepping) {
        const step = this.side === 'inclusive' ? (below ? -1 : 1) : below ? 1 : -1
        const next = this.next(value, step)
        // Past the end of the type: every value is at most the greatest. Nothing is smaller than the least one, but Java
        // leaves that to the column metrics, and the counts of its report with it.
        if (next === undefined) return this.predicate('not-null', [])
        from = next
      }
    }
    const result = this.transform(from)
    if (result === undefined) return undefined
    if (this.side === 'inclusive') {
      // Old tables hold negative time values one too high.
      const reach = below && this.shifted && (result as number) < 0 ? (result as number) + 1 : result
      const projected = this.predicate(below ? 'lt-eq' : 'gt-eq', [reach])
      const wrapped = this.wrapped()
      return below && wrapped !== undefined
        ? { op: 'or', children: [projected, this.predicate('eq', [wrapped])] }
        : projected
    }
    const reach = !below && this.shifted && (result as number) <= 0 ? (result as number) + 1 : result
    const projected = this.predicate(below ? 'lt' : 'gt', [reach])
    const wrapped = this.wrapped()
    return !below && wrapped !== undefined
      ? join<PartitionExpression>('and', [projected, this.predicate('not-eq', [wrapped])])
      : projected
  }

  set(op: 'in' | 'not-in', literals: readonly BoundLiteral[]): PartitionExpression | undefined {
    const results = new Map<unknown, Value>()
    let any = false
    for (const literal of literals) {
      // An inexact literal equals no value of the column.
      if (!literal.exact) continue
      const result = this.transform(literal.value)
      if (result === undefined) return undefined
      any = true
      for (const one of this.shifted && (result as number) < 0 ? [result, (result as number) + 1] : [result]) {
        results.set(one instanceof Uint8Array ? Buffer.from(one).toString('hex') : one, one)
      }
    }
    if (!any) return undefined
    const values = [...results.values()]
    const single = op === 'in' ? 'eq' : 'not-eq'
    return this.predicate(values.length === 1 ? single : op, values)
  }

  /** Whether results before 1970 may be one too high, as writers rounded them toward zero. */
  private get shifted(): boolean {
    const { kind } = this.target.field.transform
    if (kind === 'day') return this.target.sourceType.kind !== 'date'
    return kind === 'year' || kind === 'month' || kind === 'hour'
  }

  /**
   * Where writers put the values just above the least int or long: truncating them leaves the type, and its arithmetic
   * wraps around to a value that no other input has. Undefined where nothing wraps.
   */
  private wrapped(): Value | undefined {
    const { transform } = this.target.field
    const { kind } = this.target.sourceType
    if (transform.kind !== 'truncate' || (kind !== 'int' && kind !== 'long')) return undefined
    const { min } = kind === 'int' ? INT : LONG
    const width = BigInt(transform.width)
    const rest = ((min % width) + width) % width
    if (rest === 0n) return undefined
    const value = BigInt.asIntN(kind === 'int' ? 32 : 64, min - rest)
    return kind === 'int' ? Number(value) : value
  }

  private next(value: Value, step: 1 | -1): Value | undefined {
    const moved = typeof value === 'bigint' ? value + BigInt(step) : (value as number) + step
    const range = rangeOf(this.target.sourceType)
    return range !== undefined && (moved < range.min || moved > range.max) ? undefined : moved
  }

  /** The transformed value, or undefined where it leaves the type of the result. */
  private transform(value: Value): Value | undefined {
    const result = applyTransform(this.target.field.transform, this.target.sourceType, value) as Value
    if (typeof result !== 'number' && typeof result !== 'bigint') return result
    const range = rangeOf(this.target.type)
    return range !== undefined && (result < range.min || result > range.max) ? undefined : result
  }

  private predicate(op: PredicateOp, values: readonly Value[]): PartitionExpression {
    const { index, field, type } = this.target
    return { op, index, field, type, literals: values.map((value) => ({ value, exact: true })) }
  }
}
