import { LakefoldError } from '../base/errors.js'
import { formatDecimal, parseDecimal, rescale } from './decimal.js'
import { type JsonContext, typeName } from './json.js'
import {
  formatDate,
  formatTime,
  formatTimestamp,
  MICROS,
  NANOS,
  parseDate,
  parseTime,
  parseTimestamp,
} from './temporal.js'
import type { JsonValue, PrimitiveType, Value } from './types.js'
import { formatUuid, fromHex, parseUuid, toHex } from './utf8.js'

const MIN_INT = -(2 ** 31)
const MAX_INT = 2 ** 31 - 1
const MIN_LONG = -(2n ** 63n)
const MAX_LONG = 2n ** 63n - 1n
const FLOAT_NAMES = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

/**
 * A primitive value of its single-value JSON (Iceberg spec, Appendix D, "JSON single-value serialization"). Floats may
 * also be the texts `NaN`, `Infinity`, `-Infinity`. Throws CORRUPT_FILE for what is no value of the type; `context`
 * names the file and field.
 */
export function valueFromJson(type: PrimitiveType, json: JsonValue, context: JsonContext = {}): Value {
  const value = read(type, json)
  if (value === undefined) {
    const shown =
      typeof json === 'bigint' ? json.toString() : JSON.stringify(json, (_, v) => (typeof v === 'bigint' ? `${v}` : v))
    const place = context.file === undefined ? '' : ` in ${String(context.file)}`
    throw new LakefoldError('CORRUPT_FILE', `${shown} is not a value of type ${typeName(type)}${place}`, {
      context: { ...context, type: typeName(type), value: json },
    })
  }
  return value
}

function int(json: JsonValue): number | undefined {
  return typeof json === 'number' && Number.isInteger(json) && json >= MIN_INT && json <= MAX_INT ? json + 0 : undefined
}

function long(json: JsonValue): bigint | undefined {
  if (typeof json === 'bigint') return json >= MIN_LONG && json <= MAX_LONG ? json : undefined
  return typeof json === 'number' && Number.isSafeInteger(json) ? BigInt(json) : undefined
}

function ticks(text: string, perSecond: bigint, zoned: boolean): bigint | undefined {
  const parsed = parseTimestamp(text, perSecond, { offset: zoned ? 'required' : 'forbidden', lenient: false })
  return parsed?.exact ? long(parsed.ticks) : undefined
}

function read(type: PrimitiveType, json: JsonValue): Value | undefined {
  switch (type.kind) {
    case 'boolean':
      return typeof json === 'boolean' ? json : undefined
    case 'int':
      return int(json)
    case 'long':
      return long(json)
    case 'float':
    case 'double': {
      const number = typeof json === 'bigint' ? Number(json) : typeof json === 'string' ? FLOAT_NAMES.get(json) : json
      if (typeof number !== 'number') return undefined
      return type.kind === 'float' ? Math.fround(number) : number
    }
  }
  if (typeof json !== 'string') return undefined
  switch (type.kind) {
    case 'decimal': {
      const decimal = parseDecimal(json)
      if (decimal === undefined) return undefined
      const { unscaled, exact } = rescale(decimal, type.scale)
      const limit = 10n ** BigInt(type.precision)
      return exact && unscaled < limit && unscaled > -limit ? unscaled : undefined
    }
    case 'date': {
      const days = parseDate(json)
      return days === undefined ? undefined : int(days)
    }
    case 'time': {
      const parsed = parseTime(json, MICROS)
      return parsed?.exact ? parsed.ticks : undefined
    }
    case 'timestamp':
      return ticks(json, MICROS, false)
    case 'timestamptz':
      return ticks(json, MICROS, true)
    case 'timestamp_ns':
      return ticks(json, NANOS, false)
    case 'timestamptz_ns':
      return ticks(json, NANOS, true)
    case 'string':
      return json
    case 'uuid':
      return parseUuid(json)
    case 'fixed': {
      const bytes = fromHex(json)
      return bytes?.length === type.length ? bytes : undefined
    }
    case 'binary':
    case 'geometry':
    case 'geography':
      return fromHex(json)
    default:
      return undefined
  }
}

/**
 * Single-value JSON of a primitive value. Times carry 6 (or 9) fraction digits if they have a fraction, zoned ones end
 * in `+00:00`; hex is lower case; NaN and the infinities are texts. A -0 stays a number: write it as `-0.0`.
 */
export function valueToJson(type: PrimitiveType, value: Value): JsonValue {
  switch (type.kind) {
    case 'float':
    case 'double': {
      const number = value as number
      return Number.isFinite(number) ? number : String(number)
    }
    case 'long': {
      const integer = value as bigint
      const number = Number(integer)
      return Number.isSafeInteger(number) ? number : integer
    }
    case 'decimal':
      return formatDecimal(value as bigint, type.scale)
    case 'date':
      return formatDate(value as number)
    case 'time':
      return formatTime(value as bigint, MICROS)
    case 'timestamp':
      return formatTimestamp(value as bigint, MICROS)
    case 'timestamptz':
      return `${formatTimestamp(value as bigint, MICROS)}+00:00`
    case 'timestamp_ns':
      return formatTimestamp(value as bigint, NANOS)
    case 'timestamptz_ns':
      return `${formatTimestamp(value as bigint, NANOS)}+00:00`
    case 'uuid':
      return formatUuid(value as Uint8Array)
    case 'fixed':
    case 'binary':
    case 'geometry':
    case 'geography':
      return toHex(value as Uint8Array)
    default:
      return value as JsonValue
  }
}
