import { type Data, DataType, type Timestamp } from 'apache-arrow'

import { formatDate } from '../calendar.js'
import { big, type EncodePrimitive, encodePrimitive, expect, slice } from '../encode.js'
import { canonical } from '../json.js'
import type { ColumnType } from '../schema.js'
import { decodeVariant } from '../variant.js'

/** Ticks in a second, by Arrow's unit: second, millisecond, microsecond, nanosecond. */
const DIGITS = [0, 3, 6, 9]

/** A Paimon value as the cases write it; throws where the Arrow type is not one that the Paimon type may have. */
export const encodePaimon: EncodePrimitive = (data, row, name, type) => {
  const arrow = data.type
  switch (name) {
    case 'float':
    case 'double':
      // The cases write a negative zero as the number that it is.
      return Object.is(data.values[row], -0) ? -0 : encodePrimitive(data, row, name, type)
    case 'boolean':
    case 'decimal':
    case 'date':
      return encodePrimitive(data, row, name, type)
    case 'tinyint':
    case 'smallint':
    case 'int': {
      const width = { tinyint: 8, smallint: 16, int: 32 }[name]
      expect(DataType.isInt(arrow) && arrow.bitWidth === width && arrow.isSigned, data, type)
      return data.values[row]
    }
    case 'bigint':
      return encodePrimitive(data, row, 'long', type)
    case 'char':
    case 'varchar':
    case 'string':
      return encodePrimitive(data, row, 'string', type)
    case 'binary':
      if (DataType.isFixedSizeBinary(arrow)) return Buffer.from(slice(data, row)).toString('hex')
      return encodePrimitive(data, row, 'binary', type)
    case 'varbinary':
    case 'bytes':
    case 'blob':
      return encodePrimitive(data, row, 'binary', type)
    case 'time': {
      expect(DataType.isTime(arrow), data, type)
      const nanos = ticks(data, row, (arrow as unknown as { unit: number }).unit)
      return clock(nanos, precision(type))
    }
    case 'timestamp':
    case 'timestamp_ltz': {
      expect(DataType.isTimestamp(arrow), data, type)
      const zoned = name === 'timestamp_ltz'
      expect(Boolean((arrow as Timestamp).timezone) === zoned, data, type)
      return dateTime(ticks(data, row, (arrow as Timestamp).unit), precision(type)) + (zoned ? 'Z' : '')
    }
    case 'variant': {
      expect(DataType.isStruct(arrow), data, type)
      const part = (wanted: string) => {
        const at = (arrow as { children: { name: string }[] }).children.findIndex((child) => child.name === wanted)
        return slice(data.children[at] as Data, row)
      }
      const [value, metadata] = [part('value'), part('metadata')]
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
      return { value: hex(value), metadata: hex(metadata), json: canonical(decodeVariant(metadata, value)) }
    }
    default:
      throw new Error(`a value of type ${name}`)
  }
}

const precision = (type: ColumnType) => (type.kind === 'primitive' ? (type.args[0] ?? 0) : 0)

/** Nanoseconds of a time of any unit. */
function ticks(data: Data, row: number, unit: number): bigint {
  const value = data.values instanceof Int32Array ? BigInt(data.values[row] as number) : big(data, row)
  return value * 10n ** BigInt(9 - (DIGITS[unit] as number))
}

const DAY = 86_400_000_000_000n

/** Nanoseconds since the epoch to ISO text with `digits` digits, more only where the value has them. */
export function dateTime(nanos: bigint, digits: number): string {
  const ofDay = ((nanos % DAY) + DAY) % DAY
  return `${formatDate((nanos - ofDay) / DAY)}T${clock(ofDay, digits)}`
}

/** A fraction finer than the type's precision is a fault of the reader, so it is shown. */
export function clock(nanosOfDay: bigint, digits: number): string {
  const two = (value: bigint) => value.toString().padStart(2, '0')
  const seconds = nanosOfDay / 1_000_000_000n
  const fraction = (nanosOfDay % 1_000_000_000n).toString().padStart(9, '0')
  const shown = fraction.slice(0, digits) + fraction.slice(digits).replace(/0+$/, '')
  const whole = `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`
  return shown === '' ? whole : `${whole}.${shown}`
}
