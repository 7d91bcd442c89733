import type { Transform } from '../../types/partition.js'
import { valueToJson } from '../../types/single-value.js'
import { civilOf, formatDate } from '../../types/temporal.js'
import type { PrimitiveType, Value } from '../../types/types.js'

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
  const bytes = type.kind !== 'uuid' && value instanceof Uint8Array
  return bytes ? Buffer.from(value).toString('base64') : String(valueToJson(type, value))
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
