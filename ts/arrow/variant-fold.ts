import { formatDecimal } from '../types/decimal.js'
import { formatDate, formatTime, formatTimestamp, MICROS } from '../types/temporal.js'
import { setOwn, uuidText } from './plain.js'
import type { Variant } from './variant.js'

type Moment = Extract<Variant, { kind: 'timestamp' }>

/**
 * A variant as a plain value: integers are numbers, and bigints beyond 2^53; decimals, dates, times, timestamps (ISO,
 * `Z` if with time zone) and uuids are text; binary is bytes of its own.
 */
export function variantToJs(variant: Variant): unknown {
  switch (variant.kind) {
    case 'null':
      return null
    case 'int': {
      const number = Number(variant.value)
      return Number.isSafeInteger(number) ? number : variant.value
    }
    case 'decimal':
      return formatDecimal(variant.unscaled, variant.scale)
    case 'date':
      return formatDate(variant.days)
    case 'time':
      return formatTime(variant.micros, MICROS)
    case 'timestamp':
      return `${formatTimestamp(variant.ticks, variant.perSecond)}${variant.utc ? 'Z' : ''}`
    case 'binary':
      return variant.value.slice()
    case 'uuid':
      return uuidText(variant.value)
    case 'array':
      return variant.elements.map(variantToJs)
    case 'object': {
      const object = {}
      for (const [name, value] of variant.fields) setOwn(object, name, variantToJs(value))
      return object
    }
    default:
      return variant.value
  }
}

/** `2024-02-29 12:34:56.789+00:00`: no trailing zeros, an offset if with time zone. */
function moment({ ticks, perSecond, utc }: Moment): string {
  const iso = formatTimestamp(ticks, perSecond).replace('T', ' ')
  return `${iso.includes('.') ? iso.replace(/0+$/, '') : iso}${utc ? '+00:00' : ''}`
}

/** Digits without an exponent and without trailing zeros after the point. */
function plainNumber(unscaled: bigint, scale: number): string {
  const digits = formatDecimal(unscaled, scale)
  return scale > 0 ? digits.replace(/0+$/, '').replace(/\.$/, '') : digits
}

/**
 * A variant as JSON text with exact numbers, in the words of Spark's `to_json`: dates, times and timestamps as text,
 * binary as base64, a float that is no number as text.
 */
export function variantToJson(variant: Variant): string {
  switch (variant.kind) {
    case 'null':
      return 'null'
    case 'boolean':
    case 'int':
      return variant.value.toString()
    case 'float':
    case 'double':
      return Number.isFinite(variant.value) ? JSON.stringify(variant.value) : JSON.stringify(String(variant.value))
    case 'decimal':
      return plainNumber(variant.unscaled, variant.scale)
    case 'date':
      return JSON.stringify(formatDate(variant.days))
    case 'time':
      return JSON.stringify(formatTime(variant.micros, MICROS))
    case 'timestamp':
      return JSON.stringify(moment(variant))
    case 'string':
      return JSON.stringify(variant.value)
    case 'binary':
      return JSON.stringify(Buffer.from(variant.value).toString('base64'))
    case 'uuid':
      return JSON.stringify(uuidText(variant.value))
    case 'array':
      return `[${variant.elements.map(variantToJson).join(',')}]`
    case 'object':
      return `{${variant.fields.map(([name, value]) => `${JSON.stringify(name)}:${variantToJson(value)}`).join(',')}}`
  }
}
