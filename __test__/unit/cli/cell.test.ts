import {
  Bool,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
} from 'apache-arrow'
import { expect, it } from 'vitest'

import { batchRows } from '../../../ts/cli/output/cell.js'

it('values are exact: integers, decimals, times with all digits, uuids', () => {
  const uuid = Buffer.from('f79c3e09677c4bbda4793f349cb785e7', 'hex')
  const columns = [
    ['l', makeData({ type: new Int64(), length: 1, data: BigInt64Array.of(9007199254740993n) })],
    [
      'n',
      makeData({
        type: new Int64(),
        length: 1,
        nullCount: 1,
        nullBitmap: Uint8Array.of(0),
        data: BigInt64Array.of(1n),
      }),
    ],
    ['b', makeData({ type: new Bool(), length: 1, data: Uint8Array.of(1) })],
    ['f', makeData({ type: new Float64(), length: 1, data: Float64Array.of(Number.NaN) })],
    ['dec', makeData({ type: new Decimal(2, 9, 128), length: 1, data: Uint32Array.of(~0, ~0, ~0, ~0) })],
    ['d', makeData({ type: new DateDay(), length: 1, data: Int32Array.of(-1) })],
    ['t', makeData({ type: new TimeMicrosecond(), length: 1, data: BigInt64Array.of(1n) })],
    ['ts', makeData({ type: new TimestampMicrosecond(), length: 1, data: BigInt64Array.of(-1n) })],
    ['tz', makeData({ type: new TimestampNanosecond('UTC'), length: 1, data: BigInt64Array.of(1n) })],
    ['u', makeData({ type: new FixedSizeBinary(16), length: 1, data: uuid })],
    ['x', makeData({ type: new FixedSizeBinary(16), length: 1, data: uuid })],
  ] as const
  const fields = columns.map(
    ([name, data]) => new Field(name, data.type, true, new Map([['PARQUET:field_id', name === 'u' ? '7' : '8']])),
  )
  const children = columns.map(([, data]) => data)
  const struct = makeData({ type: new Struct(fields), length: 1, children })
  const [row] = [...batchRows(new RecordBatch(new Schema(fields), struct), new Set(['7']))]
  expect(row).toEqual([
    9007199254740993n,
    null,
    true,
    'NaN',
    '-0.01',
    '1969-12-31',
    '00:00:00.000001',
    '1969-12-31T23:59:59.999999',
    '1970-01-01T00:00:00.000000001Z',
    'f79c3e09-677c-4bbd-a479-3f349cb785e7',
    'f79c3e09677c4bbda4793f349cb785e7',
  ])
})
