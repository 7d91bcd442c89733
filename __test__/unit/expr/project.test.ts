import { describe, expect, it } from 'vitest'
import type { FilterInput } from '../../../ts/expr/parse.js'
import { projectInclusive, projectStrict } from '../../../ts/expr/project.js'
import { applyTransform } from '../../../ts/expr/transforms/index.js'
import type { PartitionSpec } from '../../../ts/types/partition.js'
import { bound, showPartition, sourceTypes, spec } from './helpers.js'

function both(filter: FilterInput, of: PartitionSpec): [string, string] {
  const tree = bound(filter)
  return [showPartition(projectInclusive(tree, of, sourceTypes)), showPartition(projectStrict(tree, of, sourceTypes))]
}

/** `T(v)` by bucket[4] of an int. */
const b4 = (value: number) => String(applyTransform({ kind: 'bucket', count: 4 }, { kind: 'int' }, value))
const b4s = (...values: number[]) => [...new Set(values.map(b4))].join()

describe('identity and bucket', () => {
  it.each([
    ['=', 'eq'],
    ['!=', 'not-eq'],
    ['<', 'lt'],
    ['<=', 'lt-eq'],
    ['>', 'gt'],
    ['>=', 'gt-eq'],
  ])('identity keeps %s', (op, name) => {
    expect(both([op, 'i', 5], spec(['i', 'identity']))).toEqual([`${name} identity 5`, `${name} identity 5`])
  })

  it('identity keeps the others', () => {
    const byD = spec(['d', 'identity'])
    for (const op of ['is-null', 'not-null', 'is-nan', 'not-nan']) {
      expect(both([op, 'd'], byD)).toEqual([`${op} identity`, `${op} identity`])
    }
    const byRegion = spec(['region', 'identity'])
    expect(both(['in', 'region', ['a', 'b']], byRegion)).toEqual(['in identity a,b', 'in identity a,b'])
    expect(both(['starts-with', 'region', 'a'], byRegion)).toEqual(['starts-with identity a', 'starts-with identity a'])
  })

  it.each<[FilterInput, string, string]>([
    [['=', 'i', 5], `eq bucket[4] ${b4(5)}`, 'false'],
    [['in', 'i', [5, 6, 7]], `in bucket[4] ${b4s(5, 6, 7)}`, 'false'],
    [['!=', 'i', 5], 'true', `not-eq bucket[4] ${b4(5)}`],
    [['not-in', 'i', [5, 6, 7]], 'true', `not-in bucket[4] ${b4s(5, 6, 7)}`],
    [['<', 'i', 5], 'true', 'false'],
    [['<=', 'i', 5], 'true', 'false'],
    [['>', 'i', 5], 'true', 'false'],
    [['>=', 'i', 5], 'true', 'false'],
    [['is-null', 'i'], 'is-null bucket[4]', 'is-null bucket[4]'],
    [['not-null', 'i'], 'not-null bucket[4]', 'not-null bucket[4]'],
  ])('bucket: %j', (filter, inclusive, strict) => {
    expect(both(filter, spec(['i', 'bucket[4]']))).toEqual([inclusive, strict])
  })
})

describe('truncate', () => {
  // 2147483646 is where writers that wrap around put the values just above the least int.
  it.each<[FilterInput, string, string]>([
    [['<', 'i', 20], 'or(lt-eq truncate[10] 10; eq truncate[10] 2147483646)', 'lt truncate[10] 20'],
    [['<=', 'i', 19], 'or(lt-eq truncate[10] 10; eq truncate[10] 2147483646)', 'lt truncate[10] 20'],
    [['>', 'i', 19], 'gt-eq truncate[10] 20', 'and(gt truncate[10] 10; not-eq truncate[10] 2147483646)'],
    [['>=', 'i', 20], 'gt-eq truncate[10] 20', 'and(gt truncate[10] 10; not-eq truncate[10] 2147483646)'],
    [['=', 'i', -1], 'eq truncate[10] -10', 'false'],
    [['in', 'i', [1, 9, 11]], 'in truncate[10] 0,10', 'false'],
    [['!=', 'i', -1], 'true', 'not-eq truncate[10] -10'],
    [['not-in', 'i', [1, 11]], 'true', 'not-in truncate[10] 0,10'],
    [['is-null', 'i'], 'is-null truncate[10]', 'is-null truncate[10]'],
    // No wrap-around of literals; as in Java's plans the column metrics decide, not the partition.
    [['<', 'i', -2147483648], 'not-null truncate[10]', 'false'],
    [
      ['>', 'i', 2147483647],
      'not-null truncate[10]',
      'and(gt truncate[10] 2147483640; not-eq truncate[10] 2147483646)',
    ],
    [['<=', 'i', 2147483647], 'or(lt-eq truncate[10] 2147483640; eq truncate[10] 2147483646)', 'not-null truncate[10]'],
    [['>=', 'i', -2147483648], 'true', 'not-null truncate[10]'],
    [['=', 'i', -2147483648], 'true', 'false'],
  ])('int: %j', (filter, inclusive, strict) => {
    expect(both(filter, spec(['i', 'truncate[10]']))).toEqual([inclusive, strict])
  })

  it('needs no care for wrapped values where the width divides the range', () => {
    expect(both(['<', 'i', 20], spec(['i', 'truncate[8]']))).toEqual(['lt-eq truncate[8] 16', 'lt truncate[8] 16'])
  })

  it.each<[FilterInput, string, string]>([
    [['<', 'price', '10.65'], 'lt-eq truncate[50] 10.50', 'lt truncate[50] 10.50'],
    [['<', 'price', '10.50'], 'lt-eq truncate[50] 10.00', 'lt truncate[50] 10.50'],
    [['>', 'price', '10.49'], 'gt-eq truncate[50] 10.50', 'gt truncate[50] 10.00'],
    // More digits than the column: below 10.495 is at most 10.49.
    [['<', 'price', '10.495'], 'lt-eq truncate[50] 10.00', 'lt truncate[50] 10.50'],
    [['>', 'price', '10.495'], 'gt-eq truncate[50] 10.50', 'gt truncate[50] 10.00'],
    [['>=', 'price', '10.495'], 'gt-eq truncate[50] 10.50', 'gt truncate[50] 10.00'],
    [['=', 'price', '10.495'], 'true', 'false'],
    [['!=', 'price', '10.495'], 'true', 'false'],
  ])('decimal: %j', (filter, inclusive, strict) => {
    expect(both(filter, spec(['price', 'truncate[50]']))).toEqual([inclusive, strict])
  })

  it.each<[FilterInput, string, string]>([
    [['<', 'region', 'abcd'], 'lt-eq truncate[3] abc', 'lt truncate[3] abc'],
    [['<=', 'region', 'abcd'], 'lt-eq truncate[3] abc', 'lt truncate[3] abc'],
    [['>', 'region', 'abcd'], 'gt-eq truncate[3] abc', 'gt truncate[3] abc'],
    [['>=', 'region', 'abcd'], 'gt-eq truncate[3] abc', 'gt truncate[3] abc'],
    [['=', 'region', 'abcd'], 'eq truncate[3] abc', 'false'],
    [['starts-with', 'region', 'ab'], 'starts-with truncate[3] ab', 'starts-with truncate[3] ab'],
    [['starts-with', 'region', 'abc'], 'eq truncate[3] abc', 'eq truncate[3] abc'],
    [['starts-with', 'region', 'abcd'], 'eq truncate[3] abc', 'false'],
    [['not-starts-with', 'region', 'ab'], 'not-starts-with truncate[3] ab', 'not-starts-with truncate[3] ab'],
    [['not-starts-with', 'region', 'abc'], 'not-eq truncate[3] abc', 'not-eq truncate[3] abc'],
    [['not-starts-with', 'region', 'abcd'], 'true', 'not-eq truncate[3] abc'],
    // Two code points, four units: a longer string may follow.
    [['starts-with', 'region', '😀😀'], 'starts-with truncate[3] 😀😀', 'false'],
  ])('string: %j', (filter, inclusive, strict) => {
    expect(both(filter, spec(['region', 'truncate[3]']))).toEqual([inclusive, strict])
  })
})

describe('time transforms', () => {
  it.each<[string, FilterInput, string, string]>([
    ['day', ['<', 'at', '2024-01-02T00:00:00'], 'lt-eq day 2024-01-01', 'lt day 2024-01-02'],
    ['day', ['<=', 'at', '2024-01-01T23:59:59.999999'], 'lt-eq day 2024-01-01', 'lt day 2024-01-02'],
    ['day', ['>', 'at', '2024-01-01T23:59:59.999999'], 'gt-eq day 2024-01-02', 'gt day 2024-01-01'],
    ['day', ['>=', 'at', '2024-01-02T00:00:00'], 'gt-eq day 2024-01-02', 'gt day 2024-01-01'],
    ['month', ['=', 'at', '2024-01-02T00:00:00'], 'eq month 648', 'false'],
    ['year', ['!=', 'at', '2024-01-02T00:00:00'], 'true', 'not-eq year 54'],
    ['hour', ['in', 'at', ['1970-01-01T00:00:00', '1970-01-01T01:30:00']], 'in hour 0,1', 'false'],
    // Before 1970 old writers were one too high.
    ['day', ['<', 'at', '1969-12-31T00:00:00'], 'lt-eq day 1969-12-31', 'lt day 1969-12-31'],
    ['day', ['<=', 'at', '1969-12-31T12:00:00'], 'lt-eq day 1970-01-01', 'lt day 1969-12-31'],
    ['day', ['=', 'at', '1969-12-31T12:00:00'], 'in day 1969-12-31,1970-01-01', 'false'],
    ['month', ['in', 'at', ['1969-12-31T12:00:00', '1970-01-01T00:00:00']], 'in month -1,0', 'false'],
    ['year', ['>', 'at', '1969-12-31T12:00:00'], 'gt-eq year -1', 'gt year 0'],
    ['hour', ['>=', 'at', '1970-01-01T00:30:00'], 'gt-eq hour 0', 'gt hour 1'],
    ['hour', ['!=', 'at', '1969-12-31T23:30:00'], 'true', 'not-in hour -1,0'],
  ])('%s: %j', (transform, filter, inclusive, strict) => {
    expect(both(filter, spec(['at', transform]))).toEqual([inclusive, strict])
  })

  it('days of dates were always right; their months were not', () => {
    expect(both(['=', 'day', '1969-12-31'], spec(['day', 'day']))[0]).toBe('eq day 1969-12-31')
    expect(both(['<=', 'day', '1969-12-31'], spec(['day', 'day']))[0]).toBe('lt-eq day 1969-12-31')
    expect(both(['=', 'day', '1969-12-31'], spec(['day', 'month']))[0]).toBe('in month -1,0')
  })

  it('step by a nanosecond on nanosecond columns (T26)', () => {
    const byHour = spec(['an', 'hour'])
    expect(both(['<', 'an', '2024-01-01T01:00:00.000000001'], byHour)[0]).toBe('lt-eq hour 473353')
    expect(both(['<', 'an', '2024-01-01T01:00:00'], byHour)[0]).toBe('lt-eq hour 473352')
    expect(both(['>', 'an', '2024-01-01T00:59:59.999999998'], byHour)[0]).toBe('gt-eq hour 473352')
    expect(both(['>', 'an', '2024-01-01T00:59:59.999999999'], byHour)[0]).toBe('gt-eq hour 473353')
  })
})

describe('what does not filter', () => {
  it.each(['void', 'zorder'])('%s', (transform) => {
    for (const filter of [
      ['=', 'i', 5],
      ['is-null', 'i'],
      ['not-null', 'i'],
    ] as const) {
      expect(both([...filter], spec(['i', transform]))).toEqual(['true', 'false'])
    }
  })

  it('fields of several sources, and of columns that are gone', () => {
    const field = { fieldId: 1000, name: 'x', transform: { kind: 'identity' } as const }
    expect(both(['=', 'i', 5], { specId: 0, fields: [{ ...field, sourceIds: [6, 7] }] })).toEqual(['true', 'false'])
    expect(both(['=', 'i', 5], { specId: 0, fields: [{ ...field, sourceIds: [99] }] })).toEqual(['true', 'false'])
  })
})

it('several fields on one column are joined by and inclusively, by or strictly', () => {
  const two = spec(['i', 'identity'], ['i', 'bucket[4]'])
  expect(both(['=', 'i', 5], two)).toEqual([`and(eq identity 5; eq bucket[4] ${b4(5)})`, 'eq identity 5'])
  expect(both(['!=', 'i', 5], two)[1]).toBe(`or(not-eq identity 5; not-eq bucket[4] ${b4(5)})`)
})

it('a transform term projects as it is through the same transform only', () => {
  const byDay = spec(['at', 'day'])
  expect(both(['<', ['day', 'at'], '1969-01-05'], byDay)).toEqual(['lt day 1969-01-05', 'lt day 1969-01-05'])
  expect(both(['<', ['month', 'at'], 3], byDay)).toEqual(['true', 'false'])
  expect(both(['=', ['bucket[4]', 'i'], 3], spec(['i', 'bucket[8]']))).toEqual(['true', 'false'])
  expect(both(['=', ['bucket[4]', 'i'], 3], spec(['i', 'identity']))).toEqual(['true', 'false'])
})
