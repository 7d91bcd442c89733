import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  Float64,
  Int32,
  Int64,
  List,
  Map_,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  TimeMicrosecond,
  TimestampNanosecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../../ts/arrow/values.js'
import { LakefoldError } from '../../../ts/base/errors.js'
import type { NestedField, Type } from '../../../ts/types/types.js'

/** A batch of one column. */
function batchOf(type: DataType, data: Data): RecordBatch {
  const schema = new Schema([new Field('c', type, true)])
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: data.length, nullCount: 0, children: [data] }),
  )
}

const field = (type: Type, name = 'c'): NestedField => ({ id: 1, name, required: false, type })
const column = (type: DataType, values: readonly unknown[]) =>
  vectorFromArray(values as never[], type as never).data[0] as Data
const child = (type: DataType, name = 'element') => new Field(name, type, true) as never

function values(type: Type, arrow: DataType, data: Data): unknown[] {
  return [...rowsOf(batchOf(arrow, data), [field(type)])].map((row) => row.c)
}

const entries = new Struct([new Field('key', new Utf8(), false), new Field('value', new Int32(), true)] as never)
const map = new Map_(new Field('entries', entries, false) as never)
const long = { kind: 'long' } as const
const int = { kind: 'int' } as const
const text = { kind: 'string' } as const

const cases: readonly [Type, DataType, readonly unknown[], readonly unknown[]][] = [
  [{ kind: 'boolean' }, new Bool(), [true, null, false], [true, null, false]],
  [int, new Int32(), [1, null, -1], [1, null, -1]],
  [long, new Int64(), [2n ** 63n - 1n, null, -(2n ** 63n)], [9223372036854775807n, null, -9223372036854775808n]],
  [{ kind: 'double' }, new Float64(), [1.5, Number.NaN, -0], [1.5, Number.NaN, -0]],
  [{ kind: 'date' }, new DateDay(), [new Date('1969-12-31'), null, new Date('1970-01-02')], [-1, null, 1]],
  [{ kind: 'time' }, new TimeMicrosecond(), [3_723_000_001n, null], [3_723_000_001n, null]],
  [text, new Utf8(), ['☃', null, ''], ['☃', null, '']],
  [{ kind: 'binary' }, new Binary(), [new Uint8Array([0, 255]), null], [new Uint8Array([0, 255]), null]],
  [
    { kind: 'fixed', length: 2 },
    new FixedSizeBinary(2),
    [new Uint8Array([1, 2]), new Uint8Array([3, 4])],
    [new Uint8Array([1, 2]), new Uint8Array([3, 4])],
  ],
  [
    { kind: 'uuid' },
    new FixedSizeBinary(16),
    [new Uint8Array([0xf2, 0x4f, 0x9b, 0x64, 0x81, 0xfa, 0x49, 0xd1, 0xb7, 0x4e, 0x8c, 0x09, 0xa6, 0xe3, 0x1c, 0x56])],
    ['f24f9b64-81fa-49d1-b74e-8c09a6e31c56'],
  ],
  [
    { kind: 'list', elementId: 2, element: int, elementRequired: false },
    new List(child(new Int32())),
    [[1, null], null, [], [3]],
    [[1, null], null, [], [3]],
  ],
  [
    { kind: 'map', keyId: 2, key: text, valueId: 3, value: int, valueRequired: false },
    map,
    [
      new Map([
        ['a', 1],
        ['b', null],
      ]),
      null,
    ],
    [
      new Map([
        ['a', 1],
        ['b', null],
      ]),
      null,
    ],
  ],
  [
    { kind: 'struct', fields: [field(int, 'a'), field(text, '__proto__')] },
    new Struct([child(new Int32(), 'a'), child(new Utf8(), 'b')]),
    [{ a: 1, b: 'x' }, null, { a: null, b: null }],
    [JSON.parse('{"a":1,"__proto__":"x"}'), null, JSON.parse('{"a":null,"__proto__":null}')],
  ],
]

describe('rowsOf', () => {
  test.each(cases)('%o', (type, arrow, input, expected) => {
    const data = column(arrow, input)
    expect(values(type, arrow, data)).toEqual(expected)
    // Slices begin inside of bitmaps and offsets.
    expect(values(type, arrow, data.slice(1, input.length - 1))).toEqual(expected.slice(1))
  })

  test('timestamps keep their nanoseconds, decimals all digits', () => {
    const nanos = makeData({
      type: new TimestampNanosecond(),
      data: new BigInt64Array([-1n, 1_700_000_000_123_456_789n]),
    })
    expect(values({ kind: 'timestamp_ns' }, nanos.type, nanos as Data)).toEqual([-1n, 1_700_000_000_123_456_789n])
    const words = new Uint32Array([1, 0, 0, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 1, 0])
    const decimal = makeData({ type: new Decimal(2, 38), length: 3, data: words })
    expect(values({ kind: 'decimal', precision: 38, scale: 2 }, decimal.type, decimal as Data)).toEqual([
      '0.01',
      '-0.01',
      '184467440737095516.16',
    ])
  })

  test('the unknown type is null', () => {
    expect(values({ kind: 'unknown' }, new Null(), makeData({ type: new Null(), length: 2 }) as Data)).toEqual([
      null,
      null,
    ])
  })

  test('bytes are copies: they do not change with the batch', () => {
    const data = column(new FixedSizeBinary(1), [new Uint8Array([7])])
    const [value] = values({ kind: 'fixed', length: 1 }, data.type, data)
    ;(data.values as Uint8Array)[0] = 9
    expect(value).toEqual(new Uint8Array([7]))
  })

  test('another projection is INVALID_ARGUMENT', () => {
    const batch = batchOf(new Int32(), column(new Int32(), [1]))
    try {
      ;[...rowsOf(batch, [])]
      expect.unreachable()
    } catch (error) {
      expect(LakefoldError.is(error) && error.code).toBe('INVALID_ARGUMENT')
    }
  })
})
