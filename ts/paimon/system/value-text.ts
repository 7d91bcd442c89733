import { formatDecimal } from '../../types/decimal.js'
import { formatDate } from '../../types/temporal.js'
import type { Datum } from '../metadata/datum.js'
import { castDateTime, javaDateTime, javaFloat, javaTime } from '../metadata/java-text.js'
import type { PaimonField, PaimonType } from '../metadata/types.js'

/** A value as Java's `toString` gives it for what rows hold: a date is its day number. Types without a text are `null`, as bounds are. */
export function internalText(value: Datum | undefined, type: PaimonType): string {
  if (value === null || value === undefined) return 'null'
  switch (type.kind) {
    case 'time':
      return String((value as bigint) / 1000n)
    case 'timestamp':
    case 'timestamp_ltz':
      return javaDateTime(nanosOf(value as bigint, type.precision))
    case 'date':
      return String(value)
    default:
      return scalarText(value, type)
  }
}

/** A value as a cast to string gives it. */
export function castText(value: Datum | undefined, type: PaimonType): string {
  if (value === null || value === undefined) return 'null'
  switch (type.kind) {
    case 'date':
      return formatDate(value as number)
    case 'time':
      return javaTime((value as bigint) * 1000n, false)
    case 'timestamp':
    case 'timestamp_ltz':
      return castDateTime(nanosOf(value as bigint, type.precision), type.precision)
    default:
      return scalarText(value, type)
  }
}

function scalarText(value: Datum, type: PaimonType): string {
  switch (type.kind) {
    case 'float':
      return javaFloat(value as number, 32)
    case 'double':
      return javaFloat(value as number, 64)
    case 'decimal':
      return formatDecimal(value as bigint, type.scale)
    case 'binary':
    case 'varbinary':
      return Buffer.from(value as Uint8Array).toString('utf8')
    default:
      return String(value)
  }
}

function nanosOf(ticks: bigint, precision: number): bigint {
  return precision <= 6 ? ticks * 1000n : ticks
}

/** A row as a cast to string gives it: `{a, 1}`. */
export function rowText(fields: readonly PaimonField[], values: readonly (Datum | undefined)[]): string {
  return `{${fields.map((field, i) => castText(values[i], field.type)).join(', ')}}`
}

/** A key as an array of Java objects prints: `[1, a]`. */
export function keyText(fields: readonly PaimonField[], values: readonly Datum[]): string {
  return `[${fields.map((field, i) => internalText(values[i], field.type)).join(', ')}]`
}

/** A map as Java prints one sorted by name: `{a=1, b=null}`. */
export function mapText(entries: Iterable<readonly [string, string]>): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${sorted.map(([name, value]) => `${name}=${value}`).join(', ')}}`
}
