import { formatDate } from '../calendar.js'
import { canonical, type Json } from '../json.js'
import { clock, dateTime } from './encode.js'

/** A type as the reader tells it: what the runner needs to write a value of it. */
export interface DatumType {
  readonly kind: string
  readonly precision?: number
  readonly scale?: number
}

/** A value of a plan (partition, key) as the cases write it. */
export function datumJson(value: unknown, type: DatumType): Json {
  if (value === null || value === undefined) return null
  const precision = type.precision ?? 0
  switch (type.kind) {
    case 'bigint':
      return String(value)
    case 'float':
      return Number.isFinite(value) ? shortest(value as number) : String(value)
    case 'double':
      return Number.isFinite(value) ? (value as number) : String(value)
    case 'decimal':
      return decimal(value as bigint, type.scale ?? 0)
    case 'date':
      return formatDate(BigInt(value as number))
    case 'time':
      return clock((value as bigint) * 1000n, precision)
    case 'timestamp':
    case 'timestamp_ltz': {
      const nanos = precision <= 6 ? (value as bigint) * 1000n : (value as bigint)
      return dateTime(nanos, precision) + (type.kind === 'timestamp_ltz' ? 'Z' : '')
    }
    case 'binary':
    case 'varbinary':
      return Buffer.from(value as Uint8Array).toString('hex')
    case 'boolean':
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'char':
    case 'varchar':
      return value as Json
    default:
      throw new Error(`a value of type ${type.kind}: ${canonical(value)}`)
  }
}

function decimal(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return unscaled < 0n ? `-${text}` : text
}

/** The shortest decimal that is the same float, as Java prints it. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits))
    if (Object.is(Math.fround(text), value)) return text
  }
  return value
}
