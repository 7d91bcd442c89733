import { floorDiv } from '../../types/decimal.js'
import { civilOf, MICROS, NANOS } from '../../types/temporal.js'
import { badTransform } from '../../types/transform-text.js'
import type { Type, Value } from '../../types/types.js'

type Unit = 'year' | 'month' | 'day' | 'hour'

function ticksPerSecond(type: Type): bigint | undefined {
  switch (type.kind) {
    case 'timestamp':
    case 'timestamptz':
      return MICROS
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return NANOS
    default:
      return undefined
  }
}

/** Whole hours since 1970-01-01T00:00 UTC, rounded down. */
function hour(type: Type, value: Value): number {
  const perSecond = ticksPerSecond(type) ?? badTransform({ kind: 'hour' }, type)
  return Number(floorDiv(value as bigint, perSecond * 3600n))
}

/** Whole days since 1970-01-01 UTC, rounded down. */
function day(type: Type, value: Value): number {
  if (type.kind === 'date') return value as number
  const perSecond = ticksPerSecond(type) ?? badTransform({ kind: 'day' }, type)
  return Number(floorDiv(value as bigint, perSecond * 86_400n))
}

/** Whole months since 1970-01, rounded down. */
function month(type: Type, value: Value): number {
  const date = civilOf(day(type, value))
  return (date.year - 1970) * 12 + date.month - 1
}

/** Whole years since 1970, rounded down. */
function year(type: Type, value: Value): number {
  return civilOf(day(type, value)).year - 1970
}

/** The transforms that count whole units of time, by name. */
export const TIME_TRANSFORMS: Readonly<Record<Unit, (type: Type, value: Value) => number>> = { year, month, day, hour }
