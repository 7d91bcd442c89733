import { LakefoldError } from '../base/errors.js'
import { formatDecimal, parseDecimal, rescale } from '../types/decimal.js'
import { typeName } from '../types/json.js'
import { MICROS, NANOS, parseDate, parseTime, parseTimestamp, type Ticks } from '../types/temporal.js'
import type { PrimitiveType } from '../types/types.js'
import { fromHex, parseUuid } from '../types/utf8.js'
import type { BoundLiteral, PredicateOp, TextOp, UnboundLiteral } from './node.js'

/** A typed literal, or where it lies if it is outside the type's range. */
export type TypedLiteral = BoundLiteral | 'above' | 'below'

/** What an error about a literal names. */
export interface LiteralPlace {
  readonly op: PredicateOp | TextOp
  readonly column: string
}

const INT = { min: -(2n ** 31n), max: 2n ** 31n - 1n }
const LONG = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/** A literal as an error message shows it. */
export function showLiteral(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value.subarray(0, 32)).toString('hex')}`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return Object.is(value, -0) ? '-0.0' : String(value)
}

/** Types a literal by its column (iceberg filter rules, "Literals"). Throws INVALID_LITERAL if it does not fit. */
export function typeLiteral(literal: UnboundLiteral, type: PrimitiveType, place: LiteralPlace): TypedLiteral {
  const fail = (reason: string): never => {
    const shown = literal.token ?? showLiteral(literal.value)
    throw new LakefoldError(
      'INVALID_LITERAL',
      `Column "${place.column}" of type ${typeName(type)}: ${place.op} ${shown} is not possible, ${reason}`,
      {
        context: {
          column: place.column,
          operator: place.op,
          type: typeName(type),
          value: literal.token ?? literal.value,
        },
      },
    )
  }
  if (literal.value === null || literal.value === undefined) fail('a literal must not be null: use is-null or not-null')
  return new Reader(literal, type, fail).read()
}

class Reader {
  constructor(
    private readonly literal: UnboundLiteral,
    private readonly type: PrimitiveType,
    private readonly fail: (reason: string) => never,
  ) {}

  private get rest(): boolean {
    return this.literal.spelling === 'rest'
  }

  read(): TypedLiteral {
    const { type } = this
    switch (type.kind) {
      case 'boolean':
        return this.boolean()
      case 'int':
        return this.integer(INT, Number)
      case 'long':
        return this.integer(LONG, (value) => value)
      case 'float':
      case 'double':
        return this.float(type.kind)
      case 'decimal':
        return this.decimal(type.scale)
      case 'date':
        return this.date()
      case 'time':
        return this.time()
      case 'timestamp':
        return this.timestamp(MICROS, false)
      case 'timestamptz':
        return this.timestamp(MICROS, true)
      case 'timestamp_ns':
        return this.timestamp(NANOS, false)
      case 'timestamptz_ns':
        return this.timestamp(NANOS, true)
      case 'string':
        return typeof this.literal.value === 'string' ? exact(this.literal.value) : this.fail('it needs a string')
      case 'uuid':
      case 'fixed':
      case 'binary':
        return this.bytes()
      default:
        return this.fail('the type only knows is-null and not-null')
    }
  }

  private boolean(): TypedLiteral {
    const { value } = this.literal
    if (typeof value === 'boolean') return exact(value)
    if (!this.rest && (value === 0 || value === 1)) return exact(value === 1)
    return this.fail('it needs true or false')
  }

  /** A whole number given as number, bigint or token; undefined for other literals. */
  private whole(): bigint | undefined {
    const { value, token } = this.literal
    if (typeof value === 'bigint') return value
    if (typeof value !== 'number') return undefined
    if (token !== undefined) {
      const decimal = parseDecimal(token)
      const scaled = decimal === undefined ? undefined : rescale(decimal, 0)
      if (scaled?.exact) return scaled.unscaled
      return this.fail('it needs a whole number')
    }
    if (!Number.isInteger(value)) return this.fail('it needs a whole number')
    if (!Number.isSafeInteger(value)) {
      return this.fail('a number beyond 2^53 is not exact: give a bigint, or the digits in JSON text')
    }
    return BigInt(value)
  }

  private integer(
    range: { readonly min: bigint; readonly max: bigint },
    convert: (value: bigint) => number | bigint,
  ): TypedLiteral {
    const value = this.whole() ?? this.fail('it needs a whole number')
    return inRange(value, range) ?? exact(convert(value))
  }

  private float(kind: 'float' | 'double'): TypedLiteral {
    const { value } = this.literal
    if (typeof value === 'bigint' || typeof value === 'number') {
      const number = Number(value)
      // An infinity written as such is refused; a number too large for the type is beyond its range.
      if (typeof value === 'number' && !Number.isFinite(value) && this.literal.token === undefined) {
        return this.fail('NaN and infinities are no literals: use is-nan or a comparison')
      }
      const rounded = kind === 'float' ? Math.fround(number) : number
      if (rounded === Number.POSITIVE_INFINITY) return 'above'
      return rounded === Number.NEGATIVE_INFINITY ? 'below' : exact(rounded)
    }
    return this.fail('it needs a number')
  }

  private decimal(scale: number): TypedLiteral {
    const { value, token } = this.literal
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    const text = token ?? (isText ? String(value) : this.fail('it needs decimal text or a number'))
    const decimal = parseDecimal(text) ?? this.fail('it needs a decimal number of at most 1000 digits')
    const { unscaled, exact: whole } = rescale(decimal, scale)
    return whole ? exact(unscaled) : { value: unscaled, exact: false, text: canonicalDecimal(decimal) }
  }

  private date(): TypedLiteral {
    const { value } = this.literal
    let days: bigint | undefined
    if (value instanceof Date) {
      const millis = this.millis(value)
      if (millis % 86_400_000 !== 0) return this.fail('a Date for a date column must be midnight UTC')
      days = BigInt(millis / 86_400_000)
    } else if (typeof value === 'string') {
      const parsed = parseDate(value)
      if (parsed !== undefined) days = BigInt(parsed)
    } else days = this.whole()
    if (days === undefined) return this.fail('it needs a date such as "2024-01-31" or whole days since 1970-01-01')
    return inRange(days, INT) ?? exact(Number(days))
  }

  private time(): TypedLiteral {
    const { value } = this.literal
    if (typeof value === 'string') {
      return ticks(parseTime(value, MICROS) ?? this.fail('it needs a time such as "22:31:08"'), value)
    }
    const micros = this.whole() ?? this.fail('it needs a time such as "22:31:08" or whole microseconds of the day')
    return inRange(micros, LONG) ?? exact(micros)
  }

  private timestamp(perSecond: bigint, zoned: boolean): TypedLiteral {
    const { value } = this.literal
    if (value instanceof Date) {
      const tick = BigInt(this.millis(value)) * (perSecond / 1000n)
      return inRange(tick, LONG) ?? exact(tick)
    }
    if (typeof value === 'string') {
      const parsed = parseTimestamp(value, perSecond, {
        offset: !this.rest ? 'optional' : zoned ? 'required' : 'forbidden',
        lenient: !this.rest,
      })
      const needed = this.rest && zoned ? ' with an offset' : this.rest ? ' without an offset' : ''
      if (parsed === undefined) return this.fail(`it needs an ISO timestamp${needed}`)
      return inRange(parsed.ticks, LONG) ?? ticks(parsed, value)
    }
    const whole = this.whole() ?? this.fail('it needs an ISO timestamp or a whole number')
    // In REST expressions an integer is micros for the nanosecond types too, as in Java.
    const tick = this.rest ? whole * (perSecond / MICROS) : whole
    return inRange(tick, LONG) ?? exact(tick)
  }

  private millis(date: Date): number {
    const millis = date.getTime()
    return Number.isNaN(millis) ? this.fail('the Date is invalid') : millis
  }

  private bytes(): TypedLiteral {
    const { type } = this
    const { value } = this.literal
    let bytes: Uint8Array | undefined
    if (value instanceof Uint8Array) bytes = value
    else if (typeof value === 'string') {
      if (type.kind === 'uuid') bytes = this.rest && value.length !== 36 ? undefined : parseUuid(value)
      else bytes = fromHex(this.rest ? value : value.replace(/^0x/i, ''))
    }
    if (bytes === undefined) return this.fail(type.kind === 'uuid' ? 'it needs a UUID' : 'it needs hex of whole bytes')
    const length = type.kind === 'uuid' ? 16 : type.kind === 'fixed' ? type.length : bytes.length
    if (bytes.length !== length) return this.fail(`it needs ${length} bytes`)
    return exact(bytes)
  }
}

function exact(value: BoundLiteral['value']): BoundLiteral {
  return { value, exact: true }
}

function inRange(value: bigint, range: { readonly min: bigint; readonly max: bigint }): 'above' | 'below' | undefined {
  return value > range.max ? 'above' : value < range.min ? 'below' : undefined
}

function ticks(parsed: Ticks, text: string): BoundLiteral {
  return parsed.exact ? exact(parsed.ticks) : { value: parsed.ticks, exact: false, text }
}

function canonicalDecimal(decimal: { readonly unscaled: bigint; readonly scale: number }): string {
  return formatDecimal(decimal.unscaled, decimal.scale)
}
