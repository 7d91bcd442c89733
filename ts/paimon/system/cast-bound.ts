import { type Decimal, floorDiv, formatDecimal, parseDecimal } from '../../types/decimal.js'
import type { Datum } from '../metadata/datum.js'
import { javaFloat } from '../metadata/java-text.js'
import { MAX_LENGTH, type PaimonType } from '../metadata/types.js'
import { castText } from './value-text.js'

/** Bits of the integers. */
const BITS: Readonly<Record<string, number>> = { tinyint: 8, smallint: 16, int: 32, bigint: 64 }
const NUMBERS: ReadonlySet<string> = new Set([...Object.keys(BITS), 'float', 'double', 'decimal', 'boolean'])
/** Microseconds of a day. */
const DAY = 86_400_000_000n

/** A bound as a column's values are cast when its type has changed; the column's own bound where there is no such cast of a bound. */
export function castBound(value: Datum, from: PaimonType, to: PaimonType): { value: Datum; type: PaimonType } {
  const cast = castTo(value, from, to)
  return cast === undefined ? { value, type: from } : { value: cast, type: to }
}

function castTo(value: Datum, from: PaimonType, to: PaimonType): Datum | undefined {
  if (to.kind === 'char' || to.kind === 'varchar') return cut(castText(value, from), to.kind, to.length)
  if (NUMBERS.has(from.kind) && NUMBERS.has(to.kind)) return number(value, from, to)
  const micros = microsOf(value, from)
  if (micros === undefined) return undefined
  switch (to.kind) {
    case 'date':
      return Number(floorDiv(micros, DAY))
    case 'time':
      return from.kind === 'date' ? undefined : floor(micros, 1000n) - floor(micros, DAY)
    case 'timestamp':
    case 'timestamp_ltz': {
      const nanos =
        (from.kind === 'timestamp' || from.kind === 'timestamp_ltz') && from.precision > 6
          ? (value as bigint)
          : micros * 1000n
      const kept = floor(nanos, 10n ** BigInt(9 - to.precision))
      return to.precision > 6 ? kept : kept / 1000n
    }
    default:
      return undefined
  }
}

function cut(text: string, kind: 'char' | 'varchar', length: number): string {
  if (length === MAX_LENGTH) return text
  const points = [...text].slice(0, length).join('')
  return kind === 'char' ? points + ' '.repeat(Math.max(0, length - [...points].length)) : points
}

/** Integers wrap, floats saturate, decimals are rounded half up and are none where they do not fit. */
function number(value: Datum, from: PaimonType, to: PaimonType): Datum | undefined {
  const plain = typeof value === 'boolean' ? Number(value) : (value as number | bigint)
  const bits = BITS[to.kind]
  if (bits !== undefined) {
    const wide = BigInt.asIntN(bits, wholeOf(plain, from, bits))
    return bits === 64 ? wide : Number(wide)
  }
  switch (to.kind) {
    case 'boolean':
      return BITS[from.kind] === undefined && from.kind !== 'boolean' ? undefined : Number(plain) !== 0
    case 'float':
      return Math.fround(Number(decimalText(plain, from)))
    case 'double':
      return Number(decimalText(plain, from))
    case 'decimal': {
      const { precision, scale } = to
      const decimal = parseDecimal(decimalText(plain, from))
      if (decimal === undefined) return null
      const unscaled = rounded(decimal, scale)
      return String(unscaled).replace('-', '').length > precision ? null : unscaled
    }
    default:
      return undefined
  }
}

/** Half away from zero. */
function rounded({ unscaled, scale }: Decimal, wanted: number): bigint {
  if (scale <= wanted) return unscaled * 10n ** BigInt(wanted - scale)
  const divisor = 10n ** BigInt(scale - wanted)
  const half = unscaled < 0n ? -divisor : divisor
  return (2n * unscaled + half) / (2n * divisor)
}

function wholeOf(value: number | bigint, from: PaimonType, bits: number): bigint {
  if (from.kind === 'decimal') return (value as bigint) / 10n ** BigInt(from.scale)
  if (typeof value === 'bigint') return value
  if (Number.isNaN(value)) return 0n
  const most = 2 ** (Math.max(bits, 32) - 1)
  if (value >= most) return BigInt(most) - 1n
  return value <= -most ? -BigInt(most) : BigInt(Math.trunc(value))
}

function decimalText(value: number | bigint, from: PaimonType): string {
  if (from.kind === 'decimal') return formatDecimal(value as bigint, from.scale)
  return from.kind === 'float' ? javaFloat(value as number, 32) : String(value)
}

function microsOf(value: Datum, from: PaimonType): bigint | undefined {
  switch (from.kind) {
    case 'date':
      return BigInt(value as number) * DAY
    case 'time':
      return value as bigint
    case 'timestamp':
    case 'timestamp_ltz':
      return from.precision > 6 ? floorDiv(value as bigint, 1000n) : (value as bigint)
    default:
      return undefined
  }
}

/** The greatest multiple of a unit that is not above a value. */
function floor(value: bigint, unit: bigint): bigint {
  return floorDiv(value, unit) * unit
}
