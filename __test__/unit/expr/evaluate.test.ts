import { describe, expect, it } from 'vitest'
import { inclusiveMetrics } from '../../../ts/expr/evaluate-inclusive.js'
import { manifestEvaluator } from '../../../ts/expr/evaluate-manifest.js'
import { partitionEvaluator } from '../../../ts/expr/evaluate-partition.js'
import { strictMetrics } from '../../../ts/expr/evaluate-strict.js'
import type { FieldSummary, FileMetrics } from '../../../ts/expr/node.js'
import type { FilterInput } from '../../../ts/expr/parse.js'
import { projectInclusive } from '../../../ts/expr/project.js'
import { fromHex, parseUuid } from '../../../ts/types/utf8.js'
import { bound, type Counts, file, float64, int32, int64, sourceTypes, spec, text } from './helpers.js'

const may = (filter: FilterInput, counts: Counts): boolean => inclusiveMetrics(bound(filter))(file(counts))
const all = (filter: FilterInput, counts: Counts): boolean => strictMetrics(bound(filter))(file(counts))

/** Ints 30 to 79 without nulls. */
const ints: Counts = { values: 50n, nulls: 0n, lower: int32(30), upper: int32(79) }
const someNulls: Counts = { ...ints, nulls: 10n }
const onlyNulls: Counts = { values: 50n, nulls: 50n }
const onlyNans: Counts = { values: 50n, nulls: 0n, nans: 50n }
const unknown: Counts = {}
const POSITIVE: FilterInput[] = [
  ['<', 'i', 5],
  ['<=', 'i', 5],
  ['>', 'i', 5],
  ['>=', 'i', 5],
  ['=', 'i', 5],
  ['in', 'i', [5, 6]],
]

describe('inclusive metrics', () => {
  it.each<[FilterInput, boolean]>([
    [['<', 'i', 30], false],
    [['<', 'i', 31], true],
    [['<=', 'i', 29], false],
    [['<=', 'i', 30], true],
    [['>', 'i', 79], false],
    [['>', 'i', 78], true],
    [['>=', 'i', 80], false],
    [['>=', 'i', 79], true],
    [['=', 'i', 29], false],
    [['=', 'i', 30], true],
    [['=', 'i', 80], false],
    [['in', 'i', [1, 2, 99]], false],
    [['in', 'i', [1, 50]], true],
    [['!=', 'i', 50], true],
    [['is-null', 'i'], false],
    [['not-null', 'i'], true],
    [['and', ['>', 'i', 40], ['<', 'i', 30]], false],
    [['or', ['>', 'i', 40], ['<', 'i', 30]], true],
    [false, false],
  ])('ints of 30 to 79: %j %s', (filter, expected) => {
    expect(may(filter, ints)).toBe(expected)
  })

  it('drops files without rows, keeps those that do not know', () => {
    expect(may(true, { rows: 0n })).toBe(false)
    expect(may(['=', 'i', 1], { ...ints, rows: -1n })).toBe(true)
  })

  it('drops nulls-only and NaN-only files for positive operators', () => {
    for (const filter of POSITIVE) expect(may(filter, onlyNulls)).toBe(false)
    expect(may(['=', 'd', 1], onlyNans)).toBe(false)
    expect(may(['starts-with', 'region', 'a'], onlyNulls)).toBe(false)
    expect(may(['not-null', 'i'], onlyNulls)).toBe(false)
    expect(may(['is-null', 'i'], onlyNulls)).toBe(true)
    expect(may(['is-nan', 'd'], onlyNulls)).toBe(false)
    expect(may(['not-nan', 'd'], onlyNulls)).toBe(true)
    expect(may(['not-nan', 'd'], onlyNans)).toBe(false)
    expect(may(['is-nan', 'd'], { ...onlyNans, nans: 0n })).toBe(false)
    expect(may(['!=', 'd', 1], onlyNans)).toBe(true)
    expect(may(['not-in', 'i', [1, 2]], onlyNulls)).toBe(true)
  })

  it('takes missing counts and counts of -1 as unknown (T23)', () => {
    for (const counts of [unknown, { values: -1n, nulls: -1n, nans: -1n }, { values: 50n }]) {
      for (const filter of [...POSITIVE, ['is-null', 'i'], ['not-null', 'i'], ['!=', 'i', 5], ['is-nan', 'd']]) {
        expect(may(filter as FilterInput, counts)).toBe(true)
        expect(all(filter as FilterInput, counts)).toBe(false)
      }
    }
  })

  it('prunes inequality where every value is the literal', () => {
    const fives: Counts = { values: 9n, nulls: 0n, lower: int32(5), upper: int32(5) }
    expect(may(['!=', 'i', 5], fives)).toBe(false)
    expect(may(['not-in', 'i', [4, 5]], fives)).toBe(false)
    expect(may(['!=', 'i', 6], fives)).toBe(true)
    expect(may(['!=', 'i', 5], { ...fives, nulls: 1n })).toBe(true)
    const doubles: Counts = { values: 9n, nulls: 0n, lower: float64(5), upper: float64(5) }
    expect(may(['!=', 'd', 5], doubles)).toBe(true)
    expect(may(['!=', 'd', 5], { ...doubles, nans: 0n })).toBe(false)
  })

  it('ignores inverted, NaN and undecodable bounds (T24, T27)', () => {
    expect(may(['=', 'i', 5], { ...ints, lower: int32(79), upper: int32(30) })).toBe(true)
    expect(may(['=', 'd', 5], { values: 5n, nulls: 0n, lower: float64(Number.NaN), upper: float64(1) })).toBe(false)
    expect(may(['=', 'd', 0], { values: 5n, nulls: 0n, lower: float64(Number.NaN), upper: float64(1) })).toBe(true)
    expect(may(['=', 'i', 5], { ...ints, lower: new Uint8Array(3) })).toBe(true)
    const huge = new Uint8Array(12).fill(0x7f)
    expect(may(['<', 'price', '1.00'], { values: 5n, nulls: 0n, lower: huge, upper: huge })).toBe(true)
  })

  it('sorts -0.0 below 0.0 (T24)', () => {
    const zero: Counts = { values: 5n, nulls: 0n, nans: 0n, lower: float64(0), upper: float64(0) }
    expect(may(['=', 'd', -0], zero)).toBe(false)
    expect(may(['>', 'd', -0], zero)).toBe(true)
    expect(may(['<', 'd', 0], { ...zero, lower: float64(-0), upper: float64(-0) })).toBe(true)
  })

  it('decodes bounds of the type before promotion', () => {
    expect(may(['=', 'l', 80], ints)).toBe(false)
    expect(may(['=', 'l', 79], ints)).toBe(true)
    const days: Counts = { values: 5n, nulls: 0n, lower: int32(0), upper: int32(1) }
    expect(may(['<', 'at', '1970-01-01T00:00:00'], days)).toBe(false)
    expect(may(['>', 'an', '1970-01-01T23:59:59.999999999'], days)).toBe(true)
    expect(may(['>', 'an', '1970-01-02T00:00:00'], days)).toBe(false)
  })

  it('compares strings and prefixes by bytes, also where bounds were cut (T22)', () => {
    // "\ud800\udc00".. sort above "\uffff" by code point, below it by UTF-16 unit.
    const counts: Counts = { values: 5n, nulls: 0n, lower: text('a\uffff'), upper: text('a😀b') }
    expect(may(['>', 'region', 'a😀'], counts)).toBe(true)
    expect(may(['<', 'region', 'a\uffff'], counts)).toBe(false)
    expect(may(['starts-with', 'region', 'a😀'], counts)).toBe(true)
    expect(may(['starts-with', 'region', 'a😁'], counts)).toBe(false)
    expect(may(['starts-with', 'region', 'a\ufffe'], counts)).toBe(false)
    expect(may(['starts-with', 'region', 'a😀bcd'], counts)).toBe(false)
    expect(may(['starts-with', 'region', 'a'], counts)).toBe(true)
    const same: Counts = { values: 5n, nulls: 0n, lower: text('abc'), upper: text('abd') }
    expect(may(['not-starts-with', 'region', 'ab'], same)).toBe(false)
    expect(may(['not-starts-with', 'region', 'abc'], same)).toBe(true)
    expect(may(['not-starts-with', 'region', 'ab'], { ...same, nulls: 1n })).toBe(true)
    expect(may(['not-starts-with', 'region', 'abcd'], { ...same, upper: text('abc') })).toBe(true)
    // Cut inside a character: still a lower bound.
    expect(may(['<', 'region', 'a'], { ...same, lower: text('a😀').subarray(0, 3), upper: text('b') })).toBe(false)
  })

  it('orders UUIDs as unsigned bytes, and trusts no bounds of another order (T21)', () => {
    const u = (hex: string) => parseUuid(hex)!
    const counts: Counts = {
      values: 5n,
      nulls: 0n,
      lower: u('10000000-0000-0000-8000-000000000000'),
      upper: u('f0000000-0000-0000-8000-000000000000'),
    }
    expect(may(['=', 'u', '90000000-0000-0000-8000-000000000000'], counts)).toBe(true)
    expect(may(['=', 'u', 'f1000000-0000-0000-8000-000000000000'], counts)).toBe(false)
    const signed: Counts = { ...counts, lower: counts.upper!, upper: counts.lower! }
    expect(may(['=', 'u', '00000000-0000-0000-8000-000000000000'], signed)).toBe(true)
  })

  it('keeps long in-lists, as Java', () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => 1000 + i)
    expect(may(['in', 'i', list(200)], ints)).toBe(false)
    expect(may(['in', 'i', list(201)], ints)).toBe(true)
  })

  it('transforms bounds for terms that keep order, and keeps the file for others', () => {
    const at: Counts = { values: 5n, nulls: 0n, lower: int64(0n), upper: int64(86_399_999_999n) }
    expect(may(['=', ['day', 'at'], '1970-01-01'], at)).toBe(true)
    expect(may(['=', ['day', 'at'], '1970-01-02'], at)).toBe(false)
    expect(may(['<', ['hour', 'at'], 0], at)).toBe(false)
    expect(may(['=', ['truncate[2]', 'region'], 'ab'], { lower: text('abc'), upper: text('abz') })).toBe(true)
    expect(may(['=', ['truncate[2]', 'region'], 'ac'], { lower: text('abc'), upper: text('abz') })).toBe(false)
    // As Java: the bucket of null is null.
    expect(may(['=', ['bucket[4]', 'i'], 1], onlyNulls)).toBe(false)
    expect(may(['!=', ['bucket[4]', 'i'], 1], onlyNulls)).toBe(true)
    expect(may(['not-null', ['bucket[4]', 'i']], onlyNulls)).toBe(false)
    expect(may(['=', ['bucket[4]', 'i'], 1], { ...ints, lower: int32(7), upper: int32(7) })).toBe(true)
    expect(may(['is-null', ['bucket[4]', 'i']], ints)).toBe(true)
  })

  it('tests nested and odd types for null by their counts', () => {
    expect(may(['is-null', 'st'], ints)).toBe(false)
    expect(may(['is-null', 'li'], someNulls)).toBe(true)
    expect(may(['not-null', 'li'], onlyNulls)).toBe(false)
    expect(may(['is-null', 'm'], unknown)).toBe(true)
    expect(may(['is-null', 'v'], { values: 5n, nulls: 0n })).toBe(false)
    expect(may(['not-null', 'geo'], onlyNulls)).toBe(false)
  })

  it('takes null counts that leave out null structs for unknown, unless no struct is null', () => {
    const orc = (structNulls: bigint | undefined, counts: Counts) => ({
      ...file(counts),
      countsPresentStructs: true,
      nullCount: (id: number) => (id === 18 ? structNulls : counts.nulls),
    })
    const test = (filter: FilterInput, metrics: FileMetrics) => inclusiveMetrics(bound(filter))(metrics)
    const one: Counts = { values: 5n, nulls: 0n, lower: text('x'), upper: text('x') }
    const negative: FilterInput[] = [
      ['is-null', 'st.s'],
      ['!=', 'st.s', 'x'],
      ['not-in', 'st.s', ['x', 'y']],
      ['not-starts-with', 'st.s', 'x'],
    ]
    for (const filter of negative) {
      expect(test(filter, orc(2n, one)), JSON.stringify(filter)).toBe(true)
      expect(test(filter, orc(undefined, one)), JSON.stringify(filter)).toBe(true)
      expect(test(filter, orc(0n, one)), JSON.stringify(filter)).toBe(false)
      expect(test(filter, file(one)), JSON.stringify(filter)).toBe(false)
    }
    // Null matches none of these, so that the bounds of the values there are decide.
    expect(test(['=', 'st.s', 'y'], orc(2n, one))).toBe(false)
    expect(test(['not-null', 'st.s'], orc(2n, { values: 3n, nulls: 3n }))).toBe(false)
  })

  it('compares literals with more digits exactly', () => {
    const counts: Counts = { values: 5n, nulls: 0n, lower: fromHex('058c')!, upper: fromHex('058c')! } // 14.20
    expect(may(['<', 'price', '14.209'], counts)).toBe(true)
    expect(may(['>', 'price', '14.209'], counts)).toBe(false)
    expect(may(['>=', 'price', '14.199'], counts)).toBe(true)
    expect(may(['=', 'price', '14.209'], counts)).toBe(false)
    expect(may(['!=', 'price', '14.209'], counts)).toBe(true)
    expect(may(['=', 'price', '14.2'], counts)).toBe(true)
  })
})

describe('strict metrics', () => {
  it.each<[FilterInput, boolean]>([
    [['<', 'i', 80], true],
    [['<', 'i', 79], false],
    [['<=', 'i', 79], true],
    [['>', 'i', 29], true],
    [['>', 'i', 30], false],
    [['>=', 'i', 30], true],
    [['=', 'i', 30], false],
    [['!=', 'i', 29], true],
    [['!=', 'i', 30], false],
    [['not-in', 'i', [1, 99]], true],
    [['not-in', 'i', [1, 50]], false],
    [['not-null', 'i'], true],
    [['is-null', 'i'], false],
    [['and', ['>', 'i', 1], ['<', 'i', 99]], true],
    [['or', ['>', 'i', 1], ['<', 'i', 1]], true],
    [['and', ['>', 'i', 1], ['<', 'i', 1]], false],
  ])('ints of 30 to 79: %j %s', (filter, expected) => {
    expect(all(filter, ints)).toBe(expected)
  })

  it('needs null counts of zero for positive operators, not for negative ones', () => {
    expect(all(['<', 'i', 80], someNulls)).toBe(false)
    expect(all(['<', 'i', 80], { lower: int32(30), upper: int32(79) })).toBe(false)
    expect(all(['!=', 'i', 29], someNulls)).toBe(true)
    expect(all(['!=', 'i', 29], onlyNulls)).toBe(true)
    expect(all(['!=', 'd', 1], onlyNans)).toBe(true)
    expect(all(['is-nan', 'd'], onlyNans)).toBe(true)
    expect(all(['not-nan', 'd'], onlyNulls)).toBe(true)
    expect(all(['is-null', 'i'], onlyNulls)).toBe(true)
  })

  it('needs NaN counts of zero on floats', () => {
    const doubles: Counts = { values: 5n, nulls: 0n, lower: float64(1), upper: float64(2) }
    expect(all(['<', 'd', 3], doubles)).toBe(false)
    expect(all(['<', 'd', 3], { ...doubles, nans: 1n })).toBe(false)
    expect(all(['<', 'd', 3], { ...doubles, nans: 0n })).toBe(true)
    expect(all(['!=', 'd', 3], { ...doubles, nans: 1n })).toBe(true)
  })

  it('proves equality and prefixes by both bounds', () => {
    const fives: Counts = { values: 9n, nulls: 0n, lower: int32(5), upper: int32(5) }
    expect(all(['=', 'i', 5], fives)).toBe(true)
    expect(all(['in', 'i', [4, 5]], fives)).toBe(true)
    expect(all(['in', 'i', [4, 6]], fives)).toBe(false)
    const texts: Counts = { values: 9n, nulls: 0n, lower: text('abc'), upper: text('abd') }
    expect(all(['starts-with', 'region', 'ab'], texts)).toBe(true)
    expect(all(['starts-with', 'region', 'abc'], texts)).toBe(false)
    expect(all(['not-starts-with', 'region', 'b'], texts)).toBe(true)
    expect(all(['not-starts-with', 'region', 'ab'], texts)).toBe(false)
  })

  it('says nothing on nested columns and transform terms, yes on files without rows', () => {
    expect(all(['>', 'rs.a', 1], { values: 5n, nulls: 0n, lower: int64(5n), upper: int64(6n) })).toBe(false)
    expect(all(['=', ['day', 'at'], 0], { values: 5n, nulls: 0n, lower: int64(0n), upper: int64(1n) })).toBe(false)
    expect(all(false, { rows: 0n })).toBe(true)
    expect(all(['=', 'i', 1], { rows: -1n })).toBe(false)
  })
})

describe('manifests', () => {
  const summary = (parts: Partial<FieldSummary>): FieldSummary => ({
    containsNull: false,
    containsNan: undefined,
    lowerBound: undefined,
    upperBound: undefined,
    ...parts,
  })
  const keeps = (filter: FilterInput, parts: Partial<FieldSummary>, column: string): boolean =>
    manifestEvaluator(projectInclusive(bound(filter), spec([column, 'identity']), sourceTypes))([summary(parts)])
  const range = { lowerBound: int32(30), upperBound: int32(79) }

  it.each<[FilterInput, Partial<FieldSummary>, boolean]>([
    [['is-null', 'i'], range, false],
    [['is-null', 'i'], { ...range, containsNull: true }, true],
    [['not-null', 'i'], { containsNull: true }, false],
    [['not-null', 'i'], { ...range, containsNull: true }, true],
    [['<', 'i', 30], range, false],
    [['<=', 'i', 30], range, true],
    [['>', 'i', 79], range, false],
    [['>=', 'i', 79], range, true],
    [['=', 'i', 29], range, false],
    [['=', 'i', 30], range, true],
    [['in', 'i', [1, 99]], range, false],
    [['in', 'i', [1, 33]], range, true],
    [['=', 'i', 5], { containsNull: true }, false],
    // No value, no null: the summary contradicts itself.
    [['=', 'i', 5], {}, true],
    [['!=', 'i', 30], range, true],
    [['!=', 'i', 30], { lowerBound: int32(30), upperBound: int32(30) }, false],
    [['!=', 'i', 30], { lowerBound: int32(30), upperBound: int32(30), containsNull: true }, true],
    [['not-in', 'i', [29, 30]], { lowerBound: int32(30), upperBound: int32(30) }, false],
    [['=', 'i', 5], { lowerBound: int32(79), upperBound: int32(30) }, true],
  ])('%j of %j: %s', (filter, parts, expected) => {
    expect(keeps(filter, parts, 'i')).toBe(expected)
  })

  it.each<[FilterInput, Partial<FieldSummary>, boolean]>([
    [['is-nan', 'd'], { containsNan: false }, false],
    [['is-nan', 'd'], {}, true],
    [['not-nan', 'd'], { containsNan: true }, false],
    [['not-nan', 'd'], { containsNan: true, containsNull: true }, true],
    [['not-nan', 'd'], { containsNan: true, lowerBound: float64(1), upperBound: float64(1) }, true],
    [['not-null', 'd'], { containsNull: true }, true],
    [['not-null', 'd'], { containsNull: true, containsNan: false }, false],
    [['=', 'd', 1], { containsNan: true }, false],
    [['!=', 'd', 1], { lowerBound: float64(1), upperBound: float64(1) }, true],
    [['!=', 'd', 1], { lowerBound: float64(1), upperBound: float64(1), containsNan: false }, false],
  ])('floats: %j of %j: %s', (filter, parts, expected) => {
    expect(keeps(filter, parts, 'd')).toBe(expected)
  })

  it('looks at prefixes', () => {
    const texts = { lowerBound: text('abc'), upperBound: text('abd') }
    expect(keeps(['starts-with', 'region', 'abe'], texts, 'region')).toBe(false)
    expect(keeps(['starts-with', 'region', 'ab'], texts, 'region')).toBe(true)
    expect(keeps(['not-starts-with', 'region', 'ab'], texts, 'region')).toBe(false)
    expect(keeps(['not-starts-with', 'region', 'ab'], { ...texts, containsNull: true }, 'region')).toBe(true)
  })

  it('keeps manifests whose summaries are missing', () => {
    const test = manifestEvaluator(projectInclusive(bound(['=', 'i', 5]), spec(['i', 'identity']), sourceTypes))
    expect(test([])).toBe(true)
  })
})

describe('partitions', () => {
  const matches = (filter: FilterInput, column: string, value: unknown): boolean =>
    partitionEvaluator(projectInclusive(bound(filter), spec([column, 'identity']), sourceTypes))([value as never])

  it.each<[FilterInput, string, unknown, boolean]>([
    [['=', 'i', 5], 'i', 5, true],
    [['=', 'i', 5], 'i', null, false],
    [['!=', 'i', 5], 'i', null, true],
    [['not-in', 'i', [5, 6]], 'i', null, true],
    [['in', 'i', [5, 6]], 'i', 6, true],
    [['in', 'i', [5, 6]], 'i', 7, false],
    [['<', 'd', 5], 'd', Number.NaN, false],
    [['>', 'd', 5], 'd', Number.NaN, false],
    [['!=', 'd', 5], 'd', Number.NaN, true],
    [['is-nan', 'd'], 'd', Number.NaN, true],
    [['not-nan', 'd'], 'd', null, true],
    [['=', 'd', 0], 'd', -0, false],
    [['in', 'd', [0, 1]], 'd', -0, false],
    [['starts-with', 'region', 'a'], 'region', 'ab', true],
    [['starts-with', 'region', 'a'], 'region', null, false],
    [['not-starts-with', 'region', 'a'], 'region', null, true],
    [['starts-with', 'bin', 'ff'], 'bin', new Uint8Array([0xff, 1]), true],
    [['=', 'price', '1.005'], 'price', 100n, false],
    [['!=', 'price', '1.005'], 'price', 100n, true],
    [['<', 'price', '1.005'], 'price', 100n, true],
    [['>', 'price', '1.005'], 'price', 100n, false],
  ])('%j of %s = %s: %s', (filter, column, value, expected) => {
    expect(matches(filter, column, value)).toBe(expected)
  })
})
