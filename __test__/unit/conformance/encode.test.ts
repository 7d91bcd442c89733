import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int32,
  Int64,
  List,
  Map_,
  makeData,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  Utf8,
} from 'apache-arrow'
import { describe, expect, it } from 'vitest'

import { formatDate, parseDate } from '../../conformance/calendar.js'
import { encodeValue } from '../../conformance/encode.js'
import { canonical, NumberText, parseJson } from '../../conformance/json.js'
import { withSortedMaps } from '../../conformance/map-order.js'
import { parseType } from '../../conformance/schema.js'
import { decodeVariant } from '../../conformance/variant.js'

// biome-ignore lint/suspicious/noExplicitAny: makeData is overloaded per type, which a table of cases cannot name
const data = (type: DataType, props: object) => makeData({ type, ...props } as any)
const utf8 = (...texts: string[]) => {
  const bytes = texts.map((t) => Buffer.from(t))
  const valueOffsets = Int32Array.from([0, ...bytes.map((_, i) => Buffer.concat(bytes.slice(0, i + 1)).length)])
  return data(new Utf8(), { length: texts.length, valueOffsets, data: Buffer.concat(bytes) })
}
const longs = (...values: bigint[]) => data(new Int64(), { length: values.length, data: BigInt64Array.from(values) })
const micros = (values: bigint[], timezone?: string) =>
  data(new TimestampMicrosecond(timezone), { length: values.length, data: BigInt64Array.from(values) })

describe('a value is encoded as the cases write it', () => {
  const encoded: [string, ReturnType<typeof data>, unknown[]][] = [
    ['boolean', data(new Bool(), { length: 2, data: Uint8Array.of(0b10) }), [false, true]],
    ['int', data(new Int32(), { length: 1, data: Int32Array.of(-5) }), [-5]],
    ['long', longs(9223372036854775807n, -1n), ['9223372036854775807', '-1']],
    ['float', data(new Float32(), { length: 2, data: Float32Array.of(0.1, -0) }), [Math.fround(0.1), '-0']],
    [
      'double',
      data(new Float64(), { length: 3, data: Float64Array.of(NaN, -Infinity, 1.5) }),
      ['NaN', '-Infinity', 1.5],
    ],
    [
      'decimal(9, 2)',
      data(new Decimal(2, 9, 128), { length: 2, data: Uint32Array.of(5, 0, 0, 0, ~0, ~0, ~0, ~0) }),
      ['0.05', '-0.01'],
    ],
    ['date', data(new DateDay(), { length: 2, data: Int32Array.of(0, -719162) }), ['1970-01-01', '0001-01-01']],
    ['time', data(new TimeMicrosecond(), { length: 1, data: BigInt64Array.of(43200000001n) }), ['12:00:00.000001']],
    ['timestamp', micros([-1n]), ['1969-12-31T23:59:59.999999']],
    ['timestamptz', micros([0n], 'UTC'), ['1970-01-01T00:00:00.000000Z']],
    [
      'timestamp_ns',
      data(new TimestampNanosecond(), { length: 1, data: BigInt64Array.of(-1n) }),
      ['1969-12-31T23:59:59.999999999'],
    ],
    ['string', utf8('', 'ü😀'), ['', 'ü😀']],
    [
      'uuid',
      data(new FixedSizeBinary(16), { length: 1, data: Buffer.from('f79c3e09677c4bbda4793f349cb785e7', 'hex') }),
      ['f79c3e09-677c-4bbd-a479-3f349cb785e7'],
    ],
    ['fixed[2]', data(new FixedSizeBinary(2), { length: 2, data: Uint8Array.of(0, 255, 1, 2) }), ['00ff', '0102']],
    [
      'binary',
      data(new Binary(), { length: 1, valueOffsets: Int32Array.of(0, 2), data: Uint8Array.of(255, 0) }),
      ['ff00'],
    ],
  ]
  for (const [type, values, expected] of encoded) {
    it(type, () => expect(expected.map((_, i) => encodeValue(values, i, parseType(type)))).toEqual(expected))
  }

  it('null', () => {
    const values = data(new Int32(), {
      length: 2,
      nullCount: 1,
      nullBitmap: Uint8Array.of(0b10),
      data: Int32Array.of(7, 8),
    })
    expect([0, 1].map((i) => encodeValue(values, i, parseType('int')))).toEqual([null, 8])
  })

  it('nested', () => {
    const list = data(new List(new Field('element', new Int64())), {
      length: 2,
      valueOffsets: Int32Array.of(0, 2, 2),
      child: longs(1n, 2n),
    })
    const listType = { type: 'list', 'element-id': 2, element: 'long', 'element-required': false }
    expect([0, 1].map((i) => encodeValue(list, i, parseType(listType)))).toEqual([['1', '2'], []])
    const entries = data(new Struct([new Field('key', new Utf8()), new Field('value', new Int64())]), {
      length: 1,
      children: [utf8('k'), longs(3n)],
    })
    const map = data(new Map_(new Field('entries', entries.type) as never), {
      length: 1,
      valueOffsets: Int32Array.of(0, 1),
      child: entries,
    })
    const mapType = { type: 'map', 'key-id': 2, key: 'string', 'value-id': 3, value: 'long' }
    expect(encodeValue(map, 0, parseType(mapType))).toEqual([['k', '3']])
  })

  it('a map has no order', () => {
    const type = parseType({ type: 'map', 'key-id': 2, key: 'string', 'value-id': 3, value: 'int' })
    const [one, other, another] = [
      [
        ['k', 1],
        ['l', 2],
      ],
      [
        ['l', 2],
        ['k', 1],
      ],
      [
        ['l', 1],
        ['k', 2],
      ],
    ].map((pairs) => canonical(withSortedMaps(pairs, type)))
    expect(one).toBe(other)
    expect(one).not.toBe(another)
  })

  it('an Arrow type that the Iceberg type cannot have is an error', () => {
    expect(() => encodeValue(longs(1n), 0, parseType('int'))).toThrow(/Arrow type/)
    expect(() => encodeValue(micros([0n]), 0, parseType('timestamptz'))).toThrow(/Arrow type/)
    expect(() => encodeValue(micros([0n]), 0, parseType('timestamp_ns'))).toThrow(/Arrow type/)
    expect(() => encodeValue(utf8('a'), 0, parseType('binary'))).toThrow(/Arrow type/)
  })
})

describe('numbers keep their digits', () => {
  it('beyond 2^53', () => expect(canonical(parseJson('[9007199254740993,1.5]'))).toBe('[9007199254740993,1.5]'))
  it('in one spelling', () => {
    const texts = ['1.50', '15E-1', '1.5'].map((text) => canonical(new NumberText(text)))
    expect(new Set(texts).size).toBe(1)
    expect(canonical(new NumberText('12345678901234567890123'))).not.toBe(
      canonical(new NumberText('12345678901234567890124')),
    )
  })
  it('dates beyond four digits, both ways', () => {
    for (const text of ['0001-01-01', '1600-02-29', '+12345-06-07', '-0004-12-31', '2024-02-29']) {
      expect(formatDate(parseDate(text))).toBe(text)
    }
  })
})

describe('variants', () => {
  const empty = Uint8Array.of(1, 0, 0)
  it('scalars', () => {
    expect(decodeVariant(empty, Uint8Array.of(0))).toBeNull()
    expect(decodeVariant(empty, Uint8Array.of(1 << 2))).toBe(true)
    expect(canonical(decodeVariant(empty, Uint8Array.of(3 << 2, 0xff)))).toBe('-1')
    expect(decodeVariant(empty, Uint8Array.of((2 << 2) | 1, 0x68, 0x69))).toBe('hi')
    expect(canonical(decodeVariant(empty, Uint8Array.of(8 << 2, 2, 0x7d, 0, 0, 0)))).toBe(
      canonical(new NumberText('1.25')),
    )
  })
  it('objects and arrays', () => {
    const metadata = Uint8Array.of(1, 1, 0, 1, 0x61)
    const one = [3 << 2, 1]
    const array = [3, 1, 0, 2, ...one]
    const object = Uint8Array.of(2, 1, 0, 0, array.length, ...array)
    expect(canonical(decodeVariant(metadata, object))).toBe('{"a":[1]}')
  })
})
