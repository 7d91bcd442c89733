import { formatDecimal } from '../../types/decimal.js'
import type { Transform } from '../../types/partition.js'
import { civilOf, formatDate, formatTime, formatTimestamp, MICROS, NANOS } from '../../types/temporal.js'
import type { PrimitiveType, Value } from '../../types/types.js'
import { formatUuid } from '../../types/utf8.js'

/** A partition value as people read it: a month is `2024-01`, an hour `2024-01-31-07`, bytes are base64. */
export function humanValue(transform: Transform, type: PrimitiveType, value: Value): string {
  switch (transform.kind) {
    case 'year':
      return yearText(1970 + Number(value))
    case 'month': {
      const months = Number(value)
      const year = 1970 + Math.floor(months / 12)
      return `${yearText(year)}-${pad(months - (year - 1970) * 12 + 1)}`
    }
    case 'hour': {
      const days = Math.floor(Number(value) / 24)
      return `${formatDate(days)}-${pad(Number(value) - days * 24)}`
    }
    default:
      return plain(type, value)
  }
}

function plain(type: PrimitiveType, value: Value): string {
  switch (type.kind) {
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
    case 'decimal':
      return formatDecimal(value as bigint, type.scale)
    case 'uuid':
      return formatUuid(value as Uint8Array)
    default:
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)
  }
}

function yearText(year: number): string {
  // The first of January of any year, without its day.
  return formatDate(firstDay(year)).replace(/-01-01$/, '')
}

function firstDay(year: number): number {
  let days = Math.floor((year - 1970) * 365.2425)
  while (civilOf(days).year < year) days++
  while (civilOf(days - 1).year >= year) days--
  return days
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
