import { describe, expect, it } from 'vitest'
import { bucketHash } from '../../../ts/expr/transforms/bucket.js'
import { applyTransform } from '../../../ts/expr/transforms/index.js'
import { parsePrimitiveType, parseTransform, transformResultType, transformToText } from '../../../ts/types/json.js'
import { parseTimestamp } from '../../../ts/types/temporal.js'
import type { Value } from '../../../ts/types/types.js'
import { fromHex, parseUuid } from '../../../ts/types/utf8.js'

const at = (text: string, perSecond: bigint): bigint =>
  parseTimestamp(text, perSecond, { offset: 'forbidden', lenient: false })!.ticks
const MICRO = 1_000_000n
const NANO = 1_000_000_000n

describe('bucket hashes (Iceberg spec, Appendix B)', () => {
  it.each<[string, Value, number]>([
    ['int', 34, 2017239379],
    ['long', 34n, 2017239379],
    ['date', 17486, -653330422],
    ['time', 81068000000n, -662762989],
    ['timestamp', at('2017-11-16T22:31:08', MICRO), -2047944441],
    ['timestamptz', at('2017-11-16T22:31:08.000001', MICRO), -1207196810],
    ['timestamp_ns', at('2017-11-16T22:31:08.000001001', NANO), -1207196810],
    ['timestamptz_ns', -1n, 1651860712],
    ['decimal(9,2)', 1420n, -500754589],
    ['decimal(9,2)', -128n, 267099677],
    ['decimal(9,2)', 128n, 1544076949],
    ['decimal(9,2)', -129n, -435537839],
    ['string', 'iceberg', 1210000089],
    ['uuid', parseUuid('f79c3e09-677c-4bbd-a479-3f349cb785e7')!, 1488055340],
    ['fixed[4]', fromHex('00010203')!, -188683207],
    ['binary', fromHex('00010203')!, -188683207],
  ])('%s %s', (type, value, hash) => {
    expect(bucketHash(parsePrimitiveType(type), value)).toBe(hash)
  })

  it('takes the hash without its sign, modulo the count', () => {
    expect(applyTransform({ kind: 'bucket', count: 16 }, { kind: 'int' }, 34)).toBe(2017239379 % 16)
    expect(applyTransform({ kind: 'bucket', count: 100 }, { kind: 'date' }, 17486)).toBe(
      (-653330422 & 0x7fffffff) % 100,
    )
  })
})

describe('truncate', () => {
  it.each<[string, number, Value, Value]>([
    ['int', 10, 1, 0],
    ['int', 10, -1, -10],
    ['int', 10, -10, -10],
    ['int', 10, -11, -20],
    ['long', 10, -1n, -10n],
    ['long', 10, 19n, 10n],
    ['decimal(9,2)', 50, 1065n, 1050n],
    ['decimal(9,2)', 50, -1n, -50n],
    ['string', 3, 'iceberg', 'ice'],
    ['string', 3, '☃😀éx', '☃😀é'],
    ['string', 3, 'ab', 'ab'],
  ])('%s, width %i, of %s is %s', (type, width, value, result) => {
    expect(applyTransform({ kind: 'truncate', width }, parsePrimitiveType(type), value)).toEqual(result)
  })

  it('cuts binaries by bytes', () => {
    const cut = applyTransform({ kind: 'truncate', width: 2 }, { kind: 'binary' }, fromHex('ff0001')!)
    expect(cut).toEqual(fromHex('ff00'))
  })
})

describe('time transforms round down', () => {
  it.each<[string, string, string, number]>([
    ['year', 'timestamp', '1969-12-31T23:59:59.999999', -1],
    ['month', 'timestamp', '1969-12-31T23:59:59.999999', -1],
    ['day', 'timestamp', '1969-12-31T23:59:59.999999', -1],
    ['hour', 'timestamp', '1969-12-31T23:59:59.999999', -1],
    ['year', 'timestamp', '1970-01-01T00:00:00', 0],
    ['year', 'timestamptz', '2017-11-16T22:31:08', 47],
    ['month', 'timestamptz', '2017-11-16T22:31:08', 574],
    ['day', 'timestamptz', '2017-11-16T22:31:08', 17486],
    ['hour', 'timestamptz', '2017-11-16T22:31:08', 419686],
    ['month', 'timestamp', '1969-01-01T00:00:00', -12],
    ['month', 'timestamp', '1968-12-31T23:59:59', -13],
  ])('%s of %s %s is %i', (transform, type, text, result) => {
    expect(applyTransform(parseTransform(transform), parsePrimitiveType(type), at(text, MICRO))).toBe(result)
    const nano = parsePrimitiveType(type === 'timestamp' ? 'timestamp_ns' : 'timestamptz_ns')
    expect(applyTransform(parseTransform(transform), nano, at(text, NANO))).toBe(result)
  })

  it('counts from dates, too', () => {
    expect(applyTransform({ kind: 'year' }, { kind: 'date' }, -1)).toBe(-1)
    expect(applyTransform({ kind: 'month' }, { kind: 'date' }, -32)).toBe(-2)
    expect(applyTransform({ kind: 'day' }, { kind: 'date' }, -7)).toBe(-7)
  })
})

it('gives null for null, and void gives null for everything', () => {
  expect(applyTransform({ kind: 'bucket', count: 4 }, { kind: 'int' }, null)).toBeNull()
  expect(applyTransform({ kind: 'void' }, { kind: 'int' }, 5)).toBeNull()
  expect(applyTransform({ kind: 'identity' }, { kind: 'int' }, 5)).toBe(5)
})

describe('transform texts', () => {
  it.each([
    ['identity', 'identity'],
    ['BUCKET[16]', 'bucket[16]'],
    ['bucket(16)', 'bucket[16]'],
    ['truncate( 10 )', 'truncate[10]'],
    ['Year', 'year'],
    ['void', 'void'],
  ])('%s is read as %s', (text, canonical) => {
    expect(transformToText(parseTransform(text))).toBe(canonical)
    expect(parseTransform(text).kind).not.toBe('unknown')
  })

  it.each(['zorder', 'bucket', 'bucket[0]', 'bucket[-1]', 'truncate[99999999999]', 'year[2]', 'bucket[16'])(
    '%s is unknown and keeps its text',
    (text) => {
      expect(parseTransform(text)).toEqual({ kind: 'unknown', text })
    },
  )

  it.each([
    ['bucket[4]', 'double', undefined],
    ['bucket[4]', 'boolean', undefined],
    ['bucket[4]', 'uuid', 'int'],
    ['truncate[4]', 'uuid', undefined],
    ['truncate[4]', 'decimal(9,2)', 'decimal'],
    ['hour', 'date', undefined],
    ['day', 'timestamp_ns', 'date'],
    ['year', 'date', 'int'],
    ['identity', 'geometry', undefined],
    ['void', 'string', 'string'],
    ['zorder', 'string', undefined],
  ])('%s of %s results in %s', (transform, type, result) => {
    expect(transformResultType(parseTransform(transform), parsePrimitiveType(type))?.kind).toBe(result)
  })
})
