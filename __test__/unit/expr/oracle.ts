import fc from 'fast-check'
import type { Value } from '../../../ts/types/types.js'

/**
 * Random filters with a second, independent meaning: values and literals are ranked as exact numbers or texts, and each
 * operator is spelled out here by the rule of rows (null and NaN satisfy negative operators only).
 */
export type Cell = Value | null

export interface Sample {
  readonly column: string
  readonly value: fc.Arbitrary<Value>
  /** The literal as the array DSL takes it. */
  readonly literal: fc.Arbitrary<unknown>
  /** Order of a value against a literal. */
  readonly compare: (value: Value, literal: unknown) => number
  readonly operators: readonly string[]
}

export type Leaf = readonly [op: string, column: string, ...literals: unknown[]]
export type Tree = Leaf | readonly ['not', Tree] | readonly ['and' | 'or', Tree, Tree]

const RANGE = ['=', '!=', '<', '<=', '>', '>=', 'in', 'not-in', 'is-null', 'not-null'] as const
const PREFIX = ['starts-with', 'not-starts-with'] as const
const FLOAT = ['is-nan', 'not-nan'] as const

function order(a: number | bigint | string, b: number | bigint | string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function bytesOf(value: unknown): string {
  return typeof value === 'string'
    ? Buffer.from(value, 'utf8').toString('hex')
    : Buffer.from(value as Uint8Array).toString('hex')
}

const compareBytes = (value: Value, literal: unknown) => order(bytesOf(value), bytesOf(literal))
const compareNumbers = (value: Value, literal: unknown) => order(value as bigint, literal as bigint)

function signedZero(value: number): number {
  return Object.is(value, -0) ? -1 : value === 0 ? 1 : 0
}

const MIN_INT = -(2 ** 31)
const MAX_INT = 2 ** 31 - 1
const MIN_LONG = -(2n ** 63n)
const MAX_LONG = 2n ** 63n - 1n
const int = fc.oneof(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: MIN_INT, max: MIN_INT + 20 }),
  fc.integer({ min: MAX_INT - 20, max: MAX_INT }),
)
const long = fc.oneof(
  fc.bigInt({ min: -40n, max: 40n }),
  fc.bigInt({ min: MIN_LONG, max: MIN_LONG + 20n }),
  fc.bigInt({ min: MAX_LONG - 20n, max: MAX_LONG }),
)
const HOUR = 3_600_000_000n
/** Near the epoch and near whole hours, days, months and years. */
const micros = fc
  .tuple(
    fc.constantFrom(0n, 1n, 24n, 31n * 24n, 365n * 24n, -1n, -24n, -31n * 24n, -365n * 24n),
    fc.bigInt({ min: -2n, max: 2n }),
  )
  .map(([hours, step]) => hours * HOUR + step)
const nanos = fc.tuple(micros, fc.bigInt({ min: -2n, max: 2n })).map(([value, step]) => value * 1000n + step)
const date = fc.oneof(fc.integer({ min: -800, max: 800 }), fc.constantFrom(MIN_INT, MAX_INT))
const word = fc
  .array(fc.constantFrom('a', 'b', 'é', '\uffff', '😀', '😁'), { maxLength: 5 })
  .map((parts) => parts.join(''))
const bytes = fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { maxLength: 4 }).map((list) => new Uint8Array(list))
const uuid = fc.array(fc.constantFrom(0, 0x7f, 0x80, 0xff), { minLength: 2, maxLength: 2 }).map(([high, low]) => {
  const all = new Uint8Array(16)
  all[0] = high!
  all[8] = low!
  return all
})
const double = fc.constantFrom(-0, 0, 1, -1, 1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e300)

export const SAMPLES: readonly Sample[] = [
  { column: 'i', value: int, literal: int, compare: compareNumbers, operators: RANGE },
  { column: 'l', value: long, literal: long, compare: compareNumbers, operators: RANGE },
  { column: 'day', value: date, literal: date, compare: compareNumbers, operators: RANGE },
  { column: 'at', value: micros, literal: micros, compare: compareNumbers, operators: RANGE },
  { column: 'an', value: nanos, literal: nanos, compare: compareNumbers, operators: RANGE },
  {
    column: 'price',
    value: fc.bigInt({ min: -300n, max: 300n }),
    // One digit more than the column has.
    literal: fc.bigInt({ min: -3000n, max: 3000n }).map((unscaled) => `${unscaled}e-3`),
    compare: (value, literal) => order((value as bigint) * 10n, BigInt((literal as string).slice(0, -3))),
    operators: RANGE,
  },
  { column: 'region', value: word, literal: word, compare: compareBytes, operators: [...RANGE, ...PREFIX] },
  { column: 'bin', value: bytes, literal: bytes, compare: compareBytes, operators: [...RANGE, ...PREFIX] },
  { column: 'u', value: uuid, literal: uuid, compare: compareBytes, operators: RANGE },
  {
    column: 'd',
    value: double,
    literal: fc.constantFrom(-0, 0, 1, -1, 1.5, 2),
    compare: (value, literal) =>
      order(value as number, literal as number) || order(signedZero(value as number), signedZero(literal as number)),
    operators: [...RANGE, ...FLOAT],
  },
]

export function leafOf(sample: Sample): fc.Arbitrary<Leaf> {
  return fc.constantFrom(...sample.operators).chain((op): fc.Arbitrary<Leaf> => {
    if (op.includes('null') || op.includes('nan')) return fc.constant([op, sample.column])
    if (op.endsWith('in')) {
      return fc.array(sample.literal, { maxLength: 4 }).map((literals): Leaf => [op, sample.column, literals])
    }
    return sample.literal.map((literal): Leaf => [op, sample.column, literal])
  })
}

export function treeOf(sample: Sample): fc.Arbitrary<Tree> {
  return fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leafOf(sample),
      fc.tuple(fc.constant('not' as const), tie('tree')),
      fc.tuple(fc.constantFrom('and' as const, 'or' as const), tie('tree'), tie('tree')),
    ),
  })).tree
}

/** Whether a row with this cell matches; `not` first goes to the leaves. */
export function matches(tree: Tree, cell: Cell, sample: Sample, negated = false): boolean {
  switch (tree[0]) {
    case 'not':
      return matches(tree[1] as Tree, cell, sample, !negated)
    case 'and':
    case 'or': {
      const left = matches(tree[1] as Tree, cell, sample, negated)
      const right = matches(tree[2] as Tree, cell, sample, negated)
      return (tree[0] === 'and') === negated ? left || right : left && right
    }
    default:
      return leafMatches(tree as Leaf, cell, sample, negated)
  }
}

const OPPOSITE: Record<string, string> = {
  '=': '!=',
  '<': '>=',
  '<=': '>',
  in: 'not-in',
  'is-null': 'not-null',
  'is-nan': 'not-nan',
  'starts-with': 'not-starts-with',
}
for (const [a, b] of Object.entries(OPPOSITE)) OPPOSITE[b] = a

export function leafMatches(leaf: Leaf, cell: Cell, sample: Sample, negated = false): boolean {
  const op = negated ? (OPPOSITE[leaf[0]] as string) : leaf[0]
  const literal = leaf[2]
  const nan = typeof cell === 'number' && Number.isNaN(cell)
  if (op === 'is-null') return cell === null
  if (op === 'not-null') return cell !== null
  if (op === 'is-nan') return nan
  if (op === 'not-nan') return !nan
  if (op === '!=' || op.startsWith('not-')) {
    return (
      cell === null ||
      nan ||
      !leafMatches(
        leaf[0] === op ? ([OPPOSITE[op] as string, ...leaf.slice(1)] as unknown as Leaf) : leaf,
        cell,
        sample,
      )
    )
  }
  if (cell === null || nan) return false
  if (op === 'in') return (literal as unknown[]).some((one) => sample.compare(cell, one) === 0)
  if (op === 'starts-with') return bytesOf(cell).startsWith(bytesOf(literal))
  const compared = sample.compare(cell, literal)
  switch (op) {
    case '=':
      return compared === 0
    case '<':
      return compared < 0
    case '<=':
      return compared <= 0
    case '>':
      return compared > 0
    default:
      return compared >= 0
  }
}
