import { type Data, DataType, type Decimal, type RecordBatch, type Timestamp } from 'apache-arrow'

import { formatDate, formatTime, formatTimestamp } from './calendar.js'
import { canonical } from './json.js'
import { sortedMap } from './map-order.js'
import type { Column, ColumnType } from './schema.js'
import { decodeVariant } from './variant.js'

/** Encodes a value of a type without parts. */
export type EncodePrimitive = (data: Data, row: number, name: string, type: ColumnType) => unknown

/** The rows of a batch, each as the cases write it: canonical JSON, read from the Arrow buffers without losing a digit. */
export function encodeBatch(
  batch: RecordBatch,
  columns: readonly Column[],
  primitive: EncodePrimitive = encodePrimitive,
): string[] {
  return encodeRows(batch, columns, primitive).map(canonical)
}

/** The rows of a batch as objects. */
export function encodeRows(
  batch: RecordBatch,
  columns: readonly Column[],
  primitive: EncodePrimitive,
): { [name: string]: unknown }[] {
  const fields = batch.schema.fields.map((field, i) => {
    const column = columns.find((c) => c.name === field.name)
    if (column === undefined) throw new Error(`a column that the table has not: ${field.name}`)
    return { name: field.name, type: column.type, data: batch.data.children[i] as Data }
  })
  return Array.from({ length: batch.numRows }, (_, row) => {
    const out: { [name: string]: unknown } = {}
    for (const { name, type, data } of fields) out[name] = encodeValue(data, row, type, primitive)
    return out
  })
}

/** One value; throws where the Arrow type is not one that the column's type may have. */
export function encodeValue(
  data: Data,
  row: number,
  type: ColumnType,
  primitive: EncodePrimitive = encodePrimitive,
): unknown {
  if (DataType.isNull(data.type) || !data.getValid(row)) return null
  if (DataType.isDictionary(data.type)) {
    const dictionary = data.dictionary?.data[0] as Data
    return encodeValue(dictionary, Number(data.values[row]), type, primitive)
  }
  switch (type.kind) {
    case 'struct':
      return encodeStruct(data, row, type.fields, primitive)
    case 'list': {
      expect(DataType.isList(data.type), data, type)
      return encodeRange(data, row).map((i) => encodeValue(data.children[0] as Data, i, type.element, primitive))
    }
    case 'map': {
      expect(DataType.isMap(data.type), data, type)
      const [keys, values] = (data.children[0] as Data).children as [Data, Data]
      const pairs = encodeRange(data, row).map((i): [unknown, unknown] => [
        encodeValue(keys, i, type.key, primitive),
        encodeValue(values, i, type.value, primitive),
      ])
      return sortedMap(pairs)
    }
    default:
      return primitive(data, row, type.name, type)
  }
}

function encodeStruct(data: Data, row: number, fields: readonly Column[], primitive: EncodePrimitive): unknown {
  expect(DataType.isStruct(data.type), data, { kind: 'struct', fields })
  const out: { [name: string]: unknown } = {}
  data.type.children.forEach((child: { name: string }, i: number) => {
    const field = fields.find((f) => f.name === child.name)
    if (field === undefined) throw new Error(`a field that the struct has not: ${child.name}`)
    out[child.name] = encodeValue(data.children[i] as Data, row, field.type, primitive)
  })
  return out
}

function encodeRange(data: Data, row: number): number[] {
  const [from, to] = [Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1])]
  return Array.from({ length: to - from }, (_, i) => from + i)
}

export function expect(ok: boolean, data: Data, type: ColumnType): void {
  if (!ok) throw new Error(`Arrow type ${String(data.type)} for ${JSON.stringify(type)}`)
}

export const big = (data: Data, row: number): bigint => {
  if (!(data.values instanceof BigInt64Array)) throw new Error(`no 64-bit values in ${String(data.type)}`)
  return data.values[row] as bigint
}

function encodeFloat(value: number): unknown {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  return Object.is(value, -0) ? '-0' : value
}

const UNIT_MICRO = 2
const UNIT_NANO = 3

/** An Iceberg value. */
export function encodePrimitive(data: Data, row: number, name: string, type: ColumnType): unknown {
  const arrow = data.type
  switch (name) {
    case 'boolean':
      expect(DataType.isBool(arrow), data, type)
      return ((data.values[(data.offset + row) >> 3] as number) & (1 << ((data.offset + row) & 7))) !== 0
    case 'int':
      expect(DataType.isInt(arrow) && arrow.bitWidth === 32 && arrow.isSigned, data, type)
      return data.values[row]
    case 'long':
      expect(DataType.isInt(arrow) && arrow.bitWidth === 64 && arrow.isSigned, data, type)
      return big(data, row).toString()
    case 'float':
      expect(data.values instanceof Float32Array, data, type)
      return encodeFloat(data.values[row])
    case 'double':
      expect(data.values instanceof Float64Array, data, type)
      return encodeFloat(data.values[row])
    case 'decimal':
      expect(DataType.isDecimal(arrow) && arrow.scale === scaleOf(type), data, type)
      return decimalText(unscaled(data, row), scaleOf(type))
    case 'date':
      expect(data.values instanceof Int32Array && DataType.isDate(arrow), data, type)
      return formatDate(BigInt(data.values[row]))
    case 'time':
      expect(DataType.isTime(arrow) && arrow.unit === UNIT_MICRO, data, type)
      return formatTime(big(data, row), 6)
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns': {
      const [zoned, nano] = [name.startsWith('timestamptz'), name.endsWith('_ns')]
      expect(DataType.isTimestamp(arrow) && arrow.unit === (nano ? UNIT_NANO : UNIT_MICRO), data, type)
      expect(Boolean((arrow as Timestamp).timezone) === zoned, data, type)
      return formatTimestamp(big(data, row), nano ? 9 : 6) + (zoned ? 'Z' : '')
    }
    case 'string':
      expect(DataType.isUtf8(arrow) || DataType.isLargeUtf8(arrow), data, type)
      return Buffer.from(slice(data, row)).toString('utf8')
    case 'uuid': {
      expect(DataType.isFixedSizeBinary(arrow) && arrow.byteWidth === 16, data, type)
      return Buffer.from(slice(data, row))
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    }
    case 'fixed':
      expect(DataType.isFixedSizeBinary(arrow), data, type)
      return Buffer.from(slice(data, row)).toString('hex')
    case 'binary':
    case 'geometry':
    case 'geography':
      expect(DataType.isBinary(arrow) || DataType.isLargeBinary(arrow), data, type)
      return Buffer.from(slice(data, row)).toString('hex')
    case 'variant': {
      expect(DataType.isStruct(arrow), data, type)
      const child = (wanted: string) => {
        const at = arrow.children.findIndex((c: { name: string }) => c.name === wanted)
        return slice(data.children[at] as Data, row)
      }
      return decodeVariant(child('metadata'), child('value'))
    }
    default:
      throw new Error(`a value of type ${name}`)
  }
}

const scaleOf = (type: ColumnType) => (type.kind === 'primitive' ? (type.args[1] ?? 0) : 0)

export function slice(data: Data, row: number): Uint8Array {
  if (DataType.isFixedSizeBinary(data.type)) {
    return data.values.subarray(row * data.type.byteWidth, (row + 1) * data.type.byteWidth)
  }
  return data.values.subarray(Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1]))
}

function unscaled(data: Data, row: number): bigint {
  const words = data.values as Uint32Array
  const { bitWidth } = data.type as Decimal
  const width = bitWidth / 32
  let value = 0n
  for (let i = width - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[row * width + i] as number)
  return BigInt.asIntN(bitWidth, value)
}

function decimalText(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return value < 0n ? `-${text}` : text
}
