import { type Data, DataType, type Field, type RecordBatch, TimeUnit } from 'apache-arrow'

import { formatDecimal } from '../../types/decimal.js'
import { formatDate, formatTime, formatTimestamp } from '../../types/temporal.js'
import type { JsonValue } from '../../types/types.js'

/** Field ids whose values are UUIDs: Arrow has the same type for them and for fixed(16). */
export type UuidFields = ReadonlySet<string>

const FIELD_ID = 'PARQUET:field_id'
const TICKS: { readonly [unit: number]: bigint } = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1_000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
}

/**
 * The rows of a batch as exact JSON values: 64-bit integers as bigint, decimals as text at their scale, dates and times as ISO
 * text with all their digits, uuids as text, bytes as hex, NaN and infinities as text, maps as lists of pairs.
 */
export function* batchRows(batch: RecordBatch, uuids: UuidFields): Generator<JsonValue[]> {
  const columns = batch.schema.fields.map((field, i) => ({ field, data: batch.data.children[i] as Data }))
  for (let row = 0; row < batch.numRows; row++) {
    yield columns.map(({ field, data }) => cell(data, row, field, uuids))
  }
}

function cell(data: Data, row: number, field: Field, uuids: UuidFields): JsonValue {
  const { type } = data
  if (DataType.isNull(type) || !data.getValid(row)) return null
  if (DataType.isDictionary(type)) {
    return cell(data.dictionary?.data[0] as Data, Number(data.values[row]), field, uuids)
  }
  if (DataType.isStruct(type)) {
    const children = type.children.map((child, i): [string, JsonValue] => [
      child.name,
      cell(data.children[i] as Data, row, child, uuids),
    ])
    return Object.fromEntries(children)
  }
  if (DataType.isList(type)) {
    const child = type.children[0] as Field
    return range(data, row).map((i) => cell(data.children[0] as Data, i, child, uuids))
  }
  if (DataType.isMap(type)) {
    const entries = data.children[0] as Data
    const [key, value] = entries.type.children as [Field, Field]
    return range(data, row).map((i) => [
      cell(entries.children[0] as Data, i, key, uuids),
      cell(entries.children[1] as Data, i, value, uuids),
    ])
  }
  return scalar(data, row, uuids.has(field.metadata.get(FIELD_ID) ?? ''))
}

function range(data: Data, row: number): number[] {
  const from = Number(data.valueOffsets[row])
  return Array.from({ length: Number(data.valueOffsets[row + 1]) - from }, (_, i) => from + i)
}

function scalar(data: Data, row: number, uuid: boolean): JsonValue {
  const { type } = data
  if (DataType.isBool(type)) {
    const bit = data.offset + row
    return ((data.values[bit >> 3] as number) & (1 << (bit & 7))) !== 0
  }
  if (DataType.isFloat(type)) {
    const value = data.values[row] as number
    return Number.isFinite(value) ? value : String(value)
  }
  if (DataType.isDecimal(type)) return formatDecimal(unscaled(data, row, type.bitWidth), type.scale)
  if (DataType.isDate(type)) {
    return formatDate(type.unit === 0 ? data.values[row] : Math.floor(Number(data.values[row]) / 86_400_000))
  }
  if (DataType.isTime(type)) return formatTime(BigInt(data.values[row]), TICKS[type.unit] as bigint)
  if (DataType.isTimestamp(type)) {
    const text = formatTimestamp(BigInt(data.values[row]), TICKS[type.unit] as bigint)
    return type.timezone ? `${text}Z` : text
  }
  if (DataType.isInt(type)) return data.values[row] as number | bigint
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return Buffer.from(bytes(data, row)).toString('utf8')
  const hex = Buffer.from(bytes(data, row)).toString('hex')
  return uuid ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : hex
}

function bytes(data: Data, row: number): Uint8Array {
  if (DataType.isFixedSizeBinary(data.type)) {
    const { byteWidth } = data.type
    return data.values.subarray(row * byteWidth, (row + 1) * byteWidth)
  }
  return data.values.subarray(Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1]))
}

/** Words of a decimal, least significant first, as a signed integer. */
function unscaled(data: Data, row: number, bitWidth: number): bigint {
  const words = bitWidth / 32
  let value = 0n
  for (let i = words - 1; i >= 0; i--) value = (value << 32n) | BigInt(data.values[row * words + i] as number)
  return BigInt.asIntN(bitWidth, value)
}
