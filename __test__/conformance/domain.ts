import { parseDate, parseTime, parseTimestamp } from './calendar.js'
import { type Json, NumberText } from './json.js'
import type { ColumnType } from './schema.js'

/**
 * The values of one type, reduced to keys that order as the type does. `points` gives values on both sides of each literal,
 * as near as the type allows: two filters over the same literals agree everywhere if they agree on these.
 */
export interface Domain {
  /** The key of a literal. */
  key(literal: Json): Key
  points(keys: readonly Key[]): readonly Point[]
}

export const NULL: unique symbol = Symbol('null')
export const NAN: unique symbol = Symbol('NaN')

/** Ordered numbers and enumerations as bigint, byte strings as hex text. */
export type Key = bigint | string
export type Point = Key | typeof NULL | typeof NAN

const DIGITS = 40
const SCALE = 10n ** BigInt(DIGITS)

/** Decimal text or number to an integer, scaled by 10^40. */
function scaled(literal: Json): bigint {
  const spelled = literal instanceof NumberText ? literal.text : String(literal)
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(spelled)
  if (match === null) throw new Error(`not a number: ${spelled}`)
  const fraction = match[3] as string
  const shift = DIGITS + Number(match[4] ?? 0) - fraction.length
  const digits = BigInt(`${match[2]}${fraction}` || '0')
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  return match[1] === '-' ? -value : value
}

const floorTo = (value: bigint, unit: bigint) => {
  const rest = value % unit
  return rest === 0n ? value : rest > 0n ? value - rest : value - rest - unit
}

/** A discrete ordered type: its values are the multiples of `unit` from `low` to `high`. */
function grid(unit: bigint, low: bigint, high: bigint, key: (literal: Json) => bigint, nan = false): Domain {
  return {
    key,
    points(keys) {
      const points = new Set<bigint>([low, high])
      for (const k of keys as bigint[]) {
        const floor = floorTo(k, unit)
        for (const p of [floor - unit, floor, floor + unit]) if (p >= low && p <= high) points.add(p)
      }
      return [NULL, ...(nan ? [NAN as typeof NAN] : []), ...points]
    },
  }
}

const integers = (bits: number, key: (literal: Json) => bigint, unit = 1n) =>
  grid(unit, -(1n << BigInt(bits - 1)) * unit, ((1n << BigInt(bits - 1)) - 1n) * unit, key)

const integer = (literal: Json): bigint => {
  if (typeof literal === 'string' || (typeof literal === 'number' && !Number.isInteger(literal))) {
    throw new Error(`not an integer: ${String(literal)}`)
  }
  return BigInt(literal as number | bigint)
}

/** The bits of a float as an integer that orders as the float does, -0.0 below 0.0. */
function ordered(value: number, bits: 32 | 64): bigint {
  const view = new DataView(new ArrayBuffer(8))
  if (bits === 32) view.setFloat32(0, value)
  else view.setFloat64(0, value)
  const raw = bits === 32 ? BigInt(view.getInt32(0)) : view.getBigInt64(0)
  return raw >= 0n ? raw : -(raw + (1n << BigInt(bits - 1))) - 1n
}

const NAMED: { [text: string]: number } = { Infinity: Infinity, '-Infinity': -Infinity, '-0': -0, '-0.0': -0 }
const float = (bits: 32 | 64) =>
  grid(
    1n,
    ordered(-Infinity, bits),
    ordered(Infinity, bits),
    (literal) => {
      const value = typeof literal === 'string' ? NAMED[literal] : Number(literal)
      if (value === undefined) throw new Error(`not a float: ${String(literal)}`)
      return ordered(value, bits)
    },
    true,
  )

/** Byte strings by hex text, which orders as unsigned bytes do. */
function bytes(key: (literal: Json) => string): Domain {
  return {
    key,
    points(keys) {
      const points = new Set<string>(['', 'ffffffffffffffffffffffffffffffffffff'])
      for (const k of keys as string[]) {
        points.add(k)
        points.add(`${k}00`)
        const last = Number.parseInt(k.slice(-2), 16)
        if (k === '') continue
        points.add(last === 0 ? k.slice(0, -2) : `${k.slice(0, -2)}${(last - 1).toString(16).padStart(2, '0')}ff`)
        if (last < 255) points.add(`${k.slice(0, -2)}${(last + 1).toString(16).padStart(2, '0')}`)
      }
      return [NULL, ...points]
    },
  }
}

const hex = (literal: Json) => {
  const text = String(literal).toLowerCase().replace(/^0x/, '')
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error(`not hex: ${text}`)
  return text
}

const OPAQUE: Domain = {
  key: (literal) => {
    throw new Error(`a literal on a type without literals: ${String(literal)}`)
  },
  points: () => [NULL, 0n],
}

const dayOrInteger = (literal: Json) => (typeof literal === 'string' ? parseDate(literal) : integer(literal))

/** The domain of a column's type, or of a transform's result. */
export function domainOf(type: ColumnType, transform?: string): Domain {
  const kind = transform
    ?.replace(/[[(].*/, '')
    .trim()
    .toLowerCase()
  if (kind === 'void') return { key: (literal) => String(literal), points: () => [NULL] }
  if (kind === 'bucket' || kind === 'year' || kind === 'month' || kind === 'hour') return integers(32, integer)
  if (kind === 'day') return integers(32, dayOrInteger)
  if (type.kind !== 'primitive') return OPAQUE
  switch (type.name) {
    case 'boolean':
      return grid(1n, 0n, 1n, (literal) => (literal === true ? 1n : literal === false ? 0n : integer(literal)))
    case 'int':
      return integers(32, integer)
    case 'long':
      return integers(64, integer)
    case 'float':
      return float(32)
    case 'double':
      return float(64)
    case 'decimal': {
      const [precision = 38, scale = 0] = type.args
      const unit = SCALE / 10n ** BigInt(scale)
      const limit = (10n ** BigInt(precision) - 1n) * unit
      return grid(unit, -limit, limit, scaled)
    }
    case 'date':
      return integers(32, dayOrInteger)
    case 'time':
      return integers(
        64,
        (literal) => (typeof literal === 'string' ? parseTime(literal) : integer(literal) * 1000n),
        1000n,
      )
    case 'timestamp':
    case 'timestamptz':
      return integers(
        64,
        (literal) => (typeof literal === 'string' ? parseTimestamp(literal) : integer(literal) * 1000n),
        1000n,
      )
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return integers(64, (literal) => (typeof literal === 'string' ? parseTimestamp(literal) : integer(literal)))
    case 'unknown':
      return { ...OPAQUE, points: () => [NULL] }
    case 'string':
      return bytes((literal) => Buffer.from(String(literal), 'utf8').toString('hex'))
    case 'uuid':
      return bytes((literal) => hex(String(literal).replaceAll('-', '')))
    case 'fixed':
    case 'binary':
      return bytes(hex)
    default:
      return OPAQUE
  }
}
