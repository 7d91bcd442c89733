import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { decodeBound } from '../../../ts/types/bounds.js'
import { compareText, compareValues } from '../../../ts/types/compare.js'
import { formatDecimal, parseDecimal, rescale } from '../../../ts/types/decimal.js'
import { parsePrimitiveType } from '../../../ts/types/json.js'
import { valueFromJson, valueToJson } from '../../../ts/types/single-value.js'
import { civilOf, daysOf, formatDate, formatTimestamp, parseDate, parseTimestamp } from '../../../ts/types/temporal.js'
import type { JsonValue, Value } from '../../../ts/types/types.js'
import { fromHex, parseUuid } from '../../../ts/types/utf8.js'

const hex = (text: string) => fromHex(text.replaceAll(' ', ''))!

describe('bounds (Iceberg spec, Appendix D)', () => {
  it.each<[string, string, Value | undefined]>([
    ['boolean', '00', false],
    ['boolean', '01', true],
    ['boolean', '', undefined],
    ['int', 'ffffffff', -1],
    ['int', 'ffffffffffffffff', undefined],
    ['long', '0100000000000000', 1n],
    ['long', 'feffffff', -2n],
    ['date', '4e440000', 17486],
    ['time', '0100000000000000', 1n],
    ['timestamp', '01000000', 86_400_000_000n],
    ['timestamp_ns', '01000000', 86_400_000_000_000n],
    ['timestamptz', 'ffffffffffffffff', -1n],
    ['timestamptz', '01000000', undefined],
    ['float', '0000c03f', 1.5],
    ['float', '0000c07f', undefined],
    ['double', '000000000000f83f', 1.5],
    ['double', '0000c03f', 1.5],
    ['double', '000000000000f87f', undefined],
    ['decimal(9,2)', '058c', 1420n],
    ['decimal(9,2)', 'ff7f', -129n],
    ['decimal(9,2)', '000000000000058c', 1420n],
    ['decimal(9,2)', '', undefined],
    ['decimal(9,2)', '3b9aca00', undefined],
    ['decimal(9,2)', '3b9ac9ff', 999_999_999n],
    ['string', '', ''],
    ['string', 'c3a9', 'é'],
    ['string', 'c3', undefined],
    ['uuid', '00', undefined],
    ['variant', '00', undefined],
    ['geometry', '00', undefined],
  ])('%s of %s', (type, bytes, value) => {
    expect(decodeBound(parsePrimitiveType(type), hex(bytes))).toBe(value)
  })

  it('keeps the sign of zero, and raw bytes', () => {
    expect(decodeBound({ kind: 'double' }, hex('0000000000000080'))).toBe(-0)
    expect(decodeBound({ kind: 'binary' }, hex(''))).toEqual(new Uint8Array(0))
    expect(decodeBound({ kind: 'fixed', length: 4 }, hex('0001'))).toEqual(hex('0001'))
  })
})

describe('single values as JSON', () => {
  it.each<[string, JsonValue, Value]>([
    ['boolean', true, true],
    ['int', -5, -5],
    ['long', 9223372036854775807n, 9223372036854775807n],
    ['long', 5, 5n],
    ['float', 1.5, 1.5],
    ['double', 'NaN', Number.NaN],
    ['double', '-Infinity', Number.NEGATIVE_INFINITY],
    ['decimal(9,2)', '14.20', 1420n],
    ['decimal(9,2)', '-0.05', -5n],
    ['date', '2017-11-16', 17486],
    ['date', '1969-12-31', -1],
    ['time', '22:31:08', 81_068_000_000n],
    ['time', '22:31:08.000001', 81_068_000_001n],
    ['timestamp', '2017-11-16T22:31:08', 1_510_871_468_000_000n],
    ['timestamp', '1969-12-31T23:59:59.999999', -1n],
    ['timestamptz', '2017-11-16T22:31:08+00:00', 1_510_871_468_000_000n],
    ['timestamp_ns', '1969-12-31T23:59:59.999999999', -1n],
    ['timestamptz_ns', '1970-01-01T00:00:00.000000001+00:00', 1n],
    ['string', 'é', 'é'],
    ['uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', parseUuid('f79c3e09-677c-4bbd-a479-3f349cb785e7')!],
    ['fixed[4]', '000102ff', hex('000102ff')],
    ['binary', '', hex('')],
  ])('%s: %s there and back', (type, json, value) => {
    const parsed = parsePrimitiveType(type)
    expect(valueFromJson(parsed, json)).toEqual(value)
    expect(valueToJson(parsed, value)).toEqual(json)
  })

  it.each<[string, JsonValue]>([
    ['boolean', 1],
    ['int', 2147483648],
    ['int', '5'],
    ['long', 1.5],
    ['long', 9223372036854775808n],
    ['double', 'abc'],
    ['decimal(9,2)', '1.005'],
    ['decimal(9,2)', '99999999.99'],
    ['decimal(9,2)', '1e999999999'],
    ['date', '2024-02-30'],
    ['time', '25:00:00'],
    ['timestamp', '2024-01-01T00:00:00Z'],
    ['timestamp', '2024-01-01'],
    ['timestamptz', '2024-01-01T00:00:00'],
    ['timestamp', '2024-01-01T00:00:00.0000001'],
    ['timestamp_ns', '+999999-01-01T00:00:00'],
    ['uuid', 'f79c3e09'],
    ['fixed[4]', '00'],
    ['binary', '0'],
    ['unknown', 1],
    ['string', null],
  ])('%s: %s is an error that names file and value', (type, json) => {
    let error: unknown
    try {
      valueFromJson(parsePrimitiveType(type), json, { file: 'm.avro', field: 'x' })
    } catch (caught) {
      error = caught
    }
    expect(LakefoldError.is(error)).toBe(true)
    expect((error as LakefoldError).context).toMatchObject({ file: 'm.avro', field: 'x', value: json })
  })
})

describe('order', () => {
  it('of strings is that of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
    expect(compareText('\uffff', '😀')).toBeLessThan(0)
    expect(compareText('\ud7ff', '😀')).toBeLessThan(0)
    expect(compareText('a', 'ab')).toBeLessThan(0)
  })

  it('of floats: -Infinity, -0.0, 0.0, Infinity, NaN', () => {
    const sorted = [Number.NEGATIVE_INFINITY, -1, -0, 0, 1, Number.POSITIVE_INFINITY, Number.NaN]
    const compare = compareValues({ kind: 'double' })
    sorted.forEach((a, i) => {
      sorted.forEach((b, j) => {
        expect(Math.sign(compare(a, b)), `${a} against ${b}`).toBe(Math.sign(i - j))
      })
    })
  })

  it('of bytes is unsigned, of booleans false first', () => {
    expect(compareValues({ kind: 'uuid' })(hex('80'), hex('7f'))).toBeGreaterThan(0)
    expect(compareValues({ kind: 'binary' })(hex('00'), hex('0000'))).toBeLessThan(0)
    expect(compareValues({ kind: 'boolean' })(false, true)).toBeLessThan(0)
    expect(() => compareValues({ kind: 'variant' })).toThrow(LakefoldError)
  })
})

describe('calendar', () => {
  it('agrees with the engine’s own, as far as that reaches', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000_000, max: 100_000_000 }), (days) => {
        const date = new Date(days * 86_400_000)
        expect(civilOf(days)).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
        })
        const { year, month, day } = civilOf(days)
        expect(daysOf(year, month, day)).toBe(days)
        expect(parseDate(formatDate(days))).toBe(days)
      }),
    )
  })

  it.each([
    [-2147483648, '-5877641-06-23'],
    [2147483647, '+5881580-07-11'],
    [-719_528, '0000-01-01'],
    [-719_529, '-0001-12-31'],
    [2_932_896, '9999-12-31'],
    [2_932_897, '+10000-01-01'],
  ])('%i days are %s', (days, text) => {
    expect(formatDate(days)).toBe(text)
    expect(parseDate(text)).toBe(days)
  })

  it.each(['10000-01-01', '+2024-01-01', '2024-1-1', '24-01-01', '2024-00-01', '2024-01-32', '2100-02-29', ''])(
    '%s is no date',
    (text) => {
      expect(parseDate(text)).toBeUndefined()
    },
  )

  it('formats the whole range of long', () => {
    for (const ticks of [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n]) {
      const text = formatTimestamp(ticks, 1_000_000n)
      expect(parseTimestamp(text, 1_000_000n, { offset: 'forbidden', lenient: false })).toEqual({ ticks, exact: true })
    }
    expect(formatTimestamp(2n ** 63n - 1n, 1_000_000n)).toBe('+294247-01-10T04:00:54.775807')
  })

  it.each([
    ['2024-01-01T01:00:00+01:00', 0n],
    ['2024-01-01T00:00:00Z', 0n],
    ['2023-12-31T19:00-0500', 0n],
    ['2024-01-01 02 +02', undefined],
    ['2024-01-01 02:00 +02', 0n],
    ['2024-01-01T00:00:00+19:00', undefined],
    ['2024-01-01T00:00:00+01:60', undefined],
    ['2024-01-01T', undefined],
    ['T00:00:00', undefined],
  ])('%s', (text, seconds) => {
    const epoch = BigInt(Date.UTC(2024, 0, 1) / 1000)
    const parsed = parseTimestamp(text, 1n, { offset: 'optional', lenient: true })
    expect(parsed?.ticks).toBe(seconds === undefined ? undefined : epoch + seconds)
  })
})

describe('decimals', () => {
  it.each([
    ['14.20', 1420n, 2],
    ['-.5', -5n, 1],
    ['1e3', 1n, -3],
    ['1.5E-2', 15n, 3],
    ['+7', 7n, 0],
  ])('%s', (text, unscaled, scale) => {
    expect(parseDecimal(text)).toEqual({ unscaled, scale })
  })

  it.each(['', '.', '-', 'e5', '1e', '1e99999', '0x10', '1,5', 'NaN', '1'.repeat(1001)])('%s is none', (text) => {
    expect(parseDecimal(text)).toBeUndefined()
  })

  it('rescale down toward minus infinity and say whether they lost digits', () => {
    expect(rescale({ unscaled: -1005n, scale: 3 }, 2)).toEqual({ unscaled: -101n, exact: false })
    expect(rescale({ unscaled: 1009n, scale: 3 }, 2)).toEqual({ unscaled: 100n, exact: false })
    expect(rescale({ unscaled: 1000n, scale: 3 }, 2)).toEqual({ unscaled: 100n, exact: true })
    expect(rescale({ unscaled: 1n, scale: -3 }, 2)).toEqual({ unscaled: 100_000n, exact: true })
  })

  it('print at their scale', () => {
    expect(formatDecimal(-5n, 2)).toBe('-0.05')
    expect(formatDecimal(1420n, 2)).toBe('14.20')
    expect(formatDecimal(5n, 0)).toBe('5')
    expect(formatDecimal(5n, -2)).toBe('500')
  })
})
