import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inclusiveMetrics } from '../../../ts/expr/evaluate-inclusive.js'
import { manifestEvaluator } from '../../../ts/expr/evaluate-manifest.js'
import { partitionEvaluator } from '../../../ts/expr/evaluate-partition.js'
import { strictMetrics } from '../../../ts/expr/evaluate-strict.js'
import { lower } from '../../../ts/expr/exec.js'
import type { BoundExpression, FileMetrics } from '../../../ts/expr/node.js'
import { printFilter } from '../../../ts/expr/print.js'
import { projectInclusive, projectStrict } from '../../../ts/expr/project.js'
import { residuals } from '../../../ts/expr/residual.js'
import { applyTransform } from '../../../ts/expr/transforms/index.js'
import { valueTest } from '../../../ts/expr/value-test.js'
import { compareValues } from '../../../ts/types/compare.js'
import { transformResultType } from '../../../ts/types/json.js'
import type { Transform } from '../../../ts/types/partition.js'
import type { PrimitiveType, Value } from '../../../ts/types/types.js'
import { bound, float64, int32, int64, schema, sourceTypes, spec, text } from './helpers.js'
import { type Cell, leafMatches, leafOf, matches, SAMPLES, type Sample, treeOf } from './oracle.js'

const RUNS = { numRuns: 400 }
const TRANSFORMS = [
  'identity',
  'bucket[3]',
  'truncate[2]',
  'truncate[3]',
  'truncate[7]',
  'truncate[1000000007]',
  'year',
  'month',
  'day',
  'hour',
]

const typeOf = (sample: Sample): PrimitiveType => schema.findByName(sample.column).field.type as PrimitiveType
const cellOf = (sample: Sample): fc.Arbitrary<Cell> => fc.option(sample.value, { freq: 6 })

/** The partition value that writers put: results that leave int or long wrap around. */
function written(transform: Transform, type: PrimitiveType, cell: Cell): Cell {
  const value = applyTransform(transform, type, cell)
  if (type.kind === 'int' && transform.kind === 'truncate' && value !== null) return (value as number) | 0
  if (type.kind === 'long' && transform.kind === 'truncate' && value !== null) return BigInt.asIntN(64, value as bigint)
  return value
}

const PAIRS = SAMPLES.flatMap((sample) =>
  TRANSFORMS.filter(
    (text) => transformResultType(spec([sample.column, text]).fields[0]!.transform, typeOf(sample)) !== undefined,
  ).map((text) => [sample.column, text, sample] as const),
)

describe('projections', () => {
  it.each(PAIRS)(
    'of %s through %s: no matching row is lost, none is taken for granted',
    (column, transformText, sample) => {
      const of = spec([column, transformText])
      const { transform } = of.fields[0]!
      const type = typeOf(sample)
      const shifted =
        ['year', 'month', 'hour'].includes(transform.kind) || (transform.kind === 'day' && type.kind !== 'date')
      fc.assert(
        fc.property(leafOf(sample), cellOf(sample), fc.boolean(), (leaf, cell, old) => {
          const tree = bound(leaf)
          const inclusive = partitionEvaluator(projectInclusive(tree, of, sourceTypes))
          const strict = partitionEvaluator(projectStrict(tree, of, sourceTypes))
          let partition = written(transform, type, cell)
          // Old writers rounded toward zero.
          if (old && shifted && partition !== null && (partition as number) < 0) partition = (partition as number) + 1
          const match = leafMatches(leaf, cell, sample)
          if (match) expect(inclusive([partition])).toBe(true)
          if (strict([partition])) expect(match).toBe(true)
        }),
        RUNS,
      )
    },
  )

  it.each(PAIRS)('residuals of %s through %s mean the same as the filter', (column, transformText, sample) => {
    const of = spec([column, transformText])
    const type = typeOf(sample)
    fc.assert(
      fc.property(treeOf(sample), cellOf(sample), (filter, cell) => {
        const residual = residuals(bound(filter), of, schema)([written(of.fields[0]!.transform, type, cell)])
        expect(evaluate(residual, cell)).toBe(matches(filter, cell, sample))
      }),
      { numRuns: 150 },
    )
  })
})

function evaluate(tree: BoundExpression, cell: Cell): boolean {
  switch (tree.op) {
    case 'true':
    case 'false':
      return tree.op === 'true'
    case 'and':
      return tree.children.every((child) => evaluate(child, cell))
    case 'or':
      return tree.children.some((child) => evaluate(child, cell))
    default:
      return valueTest(tree.op, tree.term.resultType as PrimitiveType, tree.literals)(cell)
  }
}

describe.each(SAMPLES.map((sample) => [sample.column, sample] as const))('filters on %s', (_, sample) => {
  const type = typeOf(sample)

  it('bound, lowered for execution, and read back from print mean the same', () => {
    fc.assert(
      fc.property(treeOf(sample), cellOf(sample), (filter, cell) => {
        const tree = bound(filter)
        const expected = matches(filter, cell, sample)
        expect(evaluate(tree, cell)).toBe(expected)
        const lowered = lower(tree)
        expect(evaluate(lowered, cell)).toBe(expected)
        expect(literalsAreExact(lowered)).toBe(true)
        const printed = printFilter(tree)
        const again = bound(printed)
        expect(printFilter(again)).toBe(printed)
        expect(evaluate(again, cell)).toBe(expected)
      }),
      RUNS,
    )
  })

  it('never lose a file that has a match, nor count one that has another row', () => {
    fc.assert(
      fc.property(
        treeOf(sample),
        fc.array(cellOf(sample), { minLength: 1, maxLength: 4 }),
        shape,
        (filter, cells, known) => {
          const tree = bound(filter)
          const metrics = metricsOf(type, cells, known)
          const hits = cells.filter((cell) => matches(filter, cell, sample)).length
          if (hits > 0) expect(inclusiveMetrics(tree)(metrics)).toBe(true)
          if (strictMetrics(tree)(metrics)) expect(hits).toBe(cells.length)
        },
      ),
      RUNS,
    )
  })

  it('never lose a manifest that has a matching tuple', () => {
    const of = spec([sample.column, 'identity'])
    fc.assert(
      fc.property(
        treeOf(sample),
        fc.array(cellOf(sample), { minLength: 1, maxLength: 4 }),
        shape,
        (filter, cells, known) => {
          const projected = projectInclusive(bound(filter), of, sourceTypes)
          const metrics = metricsOf(type, cells, { ...known, bounds: true, cut: false })
          const summary = {
            containsNull: cells.includes(null),
            containsNan: known.nans ? cells.some((cell) => Number.isNaN(cell)) : undefined,
            lowerBound: metrics.lowerBound(0),
            upperBound: metrics.upperBound(0),
          }
          if (cells.some((cell) => matches(filter, cell, sample))) {
            expect(manifestEvaluator(projected)([summary])).toBe(true)
          }
        },
      ),
      RUNS,
    )
  })
})

function literalsAreExact(tree: BoundExpression): boolean {
  if (tree.op === 'and' || tree.op === 'or') return 'children' in tree && tree.children.every(literalsAreExact)
  return !('literals' in tree) || tree.literals.every((literal) => literal.exact)
}

/** Which metrics a file has. */
interface Shape {
  readonly values: boolean
  readonly nulls: boolean
  readonly nans: boolean
  readonly bounds: boolean
  readonly cut: boolean
}
const shape: fc.Arbitrary<Shape> = fc.record({
  values: fc.boolean(),
  nulls: fc.boolean(),
  nans: fc.boolean(),
  bounds: fc.boolean(),
  cut: fc.boolean(),
})

function metricsOf(type: PrimitiveType, cells: readonly Cell[], known: Shape): FileMetrics {
  const present = cells.filter((cell) => cell !== null && !Number.isNaN(cell)) as Value[]
  present.sort(compareValues(type))
  const [first, last] = [present[0], present.at(-1)]
  const hasBounds = known.bounds && first !== undefined && last !== undefined
  const count = (show: boolean, test: (cell: Cell) => boolean) => (show ? BigInt(cells.filter(test).length) : undefined)
  const nans = count(known.nans && (type.kind === 'double' || type.kind === 'float'), (cell) => Number.isNaN(cell))
  return {
    recordCount: BigInt(cells.length),
    valueCount: () => count(known.values, () => true),
    nullCount: () => count(known.nulls, (cell) => cell === null),
    nanCount: () => nans,
    lowerBound: () => (hasBounds ? cutLower(encode(type, first), known.cut && isText(type)) : undefined),
    upperBound: () => (hasBounds ? cutUpper(encode(type, last), known.cut && isText(type)) : undefined),
  }
}

const isText = (type: PrimitiveType): boolean => type.kind === 'string' || type.kind === 'binary'
const cutLower = (bytes: Uint8Array, cut: boolean) => (cut ? bytes.subarray(0, 2) : bytes)

/** The first two bytes, the last of them raised; no bound if that is impossible. */
function cutUpper(bytes: Uint8Array, cut: boolean): Uint8Array | undefined {
  if (!cut || bytes.length <= 2) return bytes
  const raised = bytes.slice(0, 2)
  for (let i = 1; i >= 0; i--) {
    if (raised[i]! < 0xff) {
      raised[i]!++
      return raised.subarray(0, i + 1)
    }
  }
  return undefined
}

function encode(type: PrimitiveType, value: Value): Uint8Array {
  switch (type.kind) {
    case 'int':
    case 'date':
      return int32(value as number)
    case 'double':
      return float64(value as number)
    case 'decimal': {
      const bytes = new Uint8Array(4)
      new DataView(bytes.buffer).setInt32(0, Number(value), false)
      return bytes
    }
    case 'string':
      return text(value as string)
    case 'uuid':
    case 'binary':
      return value as Uint8Array
    default:
      return int64(value as bigint)
  }
}

/** The order of `java.util.UUID`: two signed 64-bit integers. */
function signedUuids(a: Value, b: Value): number {
  const halves = (value: Value) => {
    const view = new DataView((value as Uint8Array).buffer)
    return [view.getBigInt64(0), view.getBigInt64(8)] as const
  }
  const [x, y] = [halves(a), halves(b)]
  return Number(x[0] - y[0]) || Number(x[1] - y[1])
}

it('UUID bounds of writers that compare two signed longs lose no file (T21)', () => {
  const sample = SAMPLES.find((one) => one.column === 'u') as Sample
  fc.assert(
    fc.property(leafOf(sample), fc.array(sample.value, { minLength: 1, maxLength: 4 }), (filter, values) => {
      const sorted = [...values].sort(signedUuids)
      const metrics: FileMetrics = {
        recordCount: BigInt(values.length),
        valueCount: () => BigInt(values.length),
        nullCount: () => 0n,
        nanCount: () => undefined,
        lowerBound: () => sorted[0] as Uint8Array,
        upperBound: () => sorted.at(-1) as Uint8Array,
      }
      const hits = values.filter((value) => leafMatches(filter, value, sample)).length
      if (hits > 0) expect(inclusiveMetrics(bound(filter))(metrics)).toBe(true)
      if (strictMetrics(bound(filter))(metrics)) expect(hits).toBe(values.length)
    }),
    { numRuns: 3000 },
  )
})

it('UUID bounds of row groups that were merged by another order lose no file', () => {
  const sample = SAMPLES.find((one) => one.column === 'u') as Sample
  const groups = fc.array(fc.array(sample.value, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  const unsigned = (a: Value, b: Value) => Buffer.compare(a as Uint8Array, b as Uint8Array)
  fc.assert(
    fc.property(leafOf(sample), groups, (filter, parts) => {
      const sorted = parts.map((part) => [...part].sort(unsigned))
      const metrics: FileMetrics = {
        recordCount: BigInt(parts.flat().length),
        mergedUuidBounds: true,
        valueCount: () => BigInt(parts.flat().length),
        nullCount: () => 0n,
        nanCount: () => undefined,
        lowerBound: () => sorted.map((part) => part[0] as Value).sort(signedUuids)[0] as Uint8Array,
        upperBound: () =>
          sorted
            .map((part) => part.at(-1) as Value)
            .sort(signedUuids)
            .at(-1) as Uint8Array,
      }
      const hits = parts.flat().filter((value) => leafMatches(filter, value, sample)).length
      if (hits > 0) expect(inclusiveMetrics(bound(filter))(metrics)).toBe(true)
      if (strictMetrics(bound(filter))(metrics)) expect(hits).toBe(parts.flat().length)
    }),
    { numRuns: 3000 },
  )
})

describe('SQL-like text', () => {
  const comparisons = ['=', '<>', '<', '<=', '>', '>=']
  type Sql = { readonly text: string; readonly truth: (cell: number | null) => boolean | null }
  const leaf: fc.Arbitrary<Sql> = fc.oneof(
    fc.tuple(fc.constantFrom(...comparisons), fc.integer({ min: -2, max: 2 })).map(([op, value]) => ({
      text: `i ${op} ${value}`,
      truth: (cell: number | null) => (cell === null ? null : compare(op, cell, value)),
    })),
    fc
      .tuple(fc.boolean(), fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 3 }))
      .map(([not, list]) => ({
        text: `i ${not ? 'not ' : ''}in (${list.join()})`,
        truth: (cell: number | null) => (cell === null ? null : list.includes(cell) !== not),
      })),
    fc.tuple(fc.boolean(), fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 })).map(([not, from, to]) => ({
      text: `i ${not ? 'not ' : ''}between ${from} and ${to}`,
      truth: (cell: number | null) => (cell === null ? null : (cell >= from && cell <= to) !== not),
    })),
    fc.boolean().map((not) => ({
      text: `i is ${not ? 'not ' : ''}null`,
      truth: (cell: number | null) => (cell === null) !== not,
    })),
  )
  const sql = fc.letrec<{ node: Sql }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      tie('node').map((inner) => ({
        text: `not (${inner.text})`,
        truth: (cell: number | null) => {
          const truth = inner.truth(cell)
          return truth === null ? null : !truth
        },
      })),
      fc.tuple(tie('node'), tie('node'), fc.boolean()).map(([a, b, and]) => ({
        text: `(${a.text} ${and ? 'and' : 'or'} ${b.text})`,
        truth: (cell: number | null) => {
          const [x, y] = [a.truth(cell), b.truth(cell)]
          if (x === !and || y === !and) return !and
          return x === null || y === null ? null : and
        },
      })),
    ),
  })).node

  function compare(op: string, cell: number, value: number): boolean {
    if (op === '=') return cell === value
    if (op === '<>') return cell !== value
    if (op.startsWith('<')) return op === '<' ? cell < value : cell <= value
    return op === '>' ? cell > value : cell >= value
  }

  it('keeps three-valued logic', () => {
    fc.assert(
      fc.property(sql, fc.option(fc.integer({ min: -3, max: 3 })), ({ text, truth }, cell) => {
        expect(evaluate(bound(text), cell)).toBe(truth(cell) === true)
      }),
      { numRuns: 1000 },
    )
  })
})

it('random text never breaks the parsers', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .array(fc.constantFrom('i', '=', '(', ')', 'and', 'not', '[', '"', ',', '1', "'"), { maxLength: 12 })
          .map((parts) => parts.join(' ')),
      ),
      (input) => {
        try {
          bound(input)
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^(INVALID_FILTER|INVALID_LITERAL|UNKNOWN_COLUMN)$/)
        }
      },
    ),
    { numRuns: 1000 },
  )
})
