import { LakefoldError } from '../../base/errors.js'
import { parseDecimal, rescale } from '../../types/decimal.js'
import { NANOS, parseDate, parseTime, parseTimestamp } from '../../types/temporal.js'
import type { Value } from '../../types/types.js'
import { type PaimonField, typeText } from './types.js'

/** What a partition filter wants of one column: `value` null wants null. */
export interface PartitionCondition {
  /** Place among the partition columns. */
  readonly index: number
  readonly field: PaimonField
  readonly value: Value | null
}

/**
 * Reads one AND of a partition filter: column names with values as folder names spell them; the default name wants null.
 * UNKNOWN_COLUMN for a name that is no partition column, INVALID_LITERAL for a value that is not one of the column's type.
 */
export function parsePartitionSpec(
  spec: Readonly<Record<string, string>>,
  fields: readonly PaimonField[],
  defaultName: string,
): readonly PartitionCondition[] {
  return Object.entries(spec).map(([name, text]) => {
    const index = fields.findIndex((field) => field.name === name)
    const field = fields[index]
    if (field === undefined) {
      const known = fields.map((one) => one.name)
      const what = known.length === 0 ? 'the table has none' : `these are ${known.join(', ')}`
      throw new LakefoldError('UNKNOWN_COLUMN', `"${name}" is no partition column: ${what}`, {
        context: { column: name, partitionColumns: known },
      })
    }
    return { index, field, value: text === defaultName ? null : parsePartitionValue(text, field) }
  })
}

/** A partition value from its text, by the rules that Java casts text with; INVALID_LITERAL naming column, type and text. */
export function parsePartitionValue(text: string, field: PaimonField): Value {
  const value = parse(text, field)
  if (value !== undefined) return value
  const type = typeText({ ...field.type, nullable: true })
  throw new LakefoldError('INVALID_LITERAL', `Partition column "${field.name}": "${text}" is no ${type}`, {
    context: { column: field.name, type, value: text },
  })
}

const INTEGER_BITS = { tinyint: 8, smallint: 16, int: 32, bigint: 64 } as const
const TRUE = new Set(['t', 'true', 'y', 'yes', '1'])
const FALSE = new Set(['f', 'false', 'n', 'no', '0'])

function parse(text: string, { type }: PaimonField): Value | undefined {
  const trimmed = text.trim()
  switch (type.kind) {
    case 'char':
    case 'varchar':
      return text
    case 'boolean': {
      const lower = trimmed.toLowerCase()
      return TRUE.has(lower) ? true : FALSE.has(lower) ? false : undefined
    }
    case 'tinyint':
    case 'smallint':
    case 'int': {
      const value = integer(trimmed, INTEGER_BITS[type.kind])
      return value === undefined ? undefined : Number(value)
    }
    case 'bigint':
      return integer(trimmed, 64)
    case 'float':
    case 'double': {
      const value = float(trimmed)
      return value === undefined || type.kind === 'double' ? value : Math.fround(value)
    }
    case 'decimal': {
      const decimal = parseDecimal(trimmed)
      if (decimal === undefined) return undefined
      const { unscaled, exact } = rescale(decimal, type.scale)
      const limit = 10n ** BigInt(type.precision)
      return exact && unscaled < limit && unscaled > -limit ? unscaled : undefined
    }
    case 'date': {
      const days = integer(trimmed, 32)
      return days === undefined ? parseDate(trimmed) : Number(days)
    }
    case 'time': {
      const millis = integer(trimmed, 32)
      if (millis !== undefined) return millis * 1000n
      const time = parseTime(trimmed, 1_000_000n)
      return time?.exact ? time.ticks : undefined
    }
    case 'timestamp':
    case 'timestamp_ltz':
      return timestamp(trimmed, type.precision)
    default:
      return undefined
  }
}

function integer(text: string, bits: number): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined
  const value = BigInt(text.replace('+', ''))
  return BigInt.asIntN(bits, value) === value ? value : undefined
}

function float(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?[fd]?$/i.test(text)) return Number(text.replace(/[fd]$/i, ''))
  switch (text) {
    case 'NaN':
      return Number.NaN
    case 'Infinity':
    case '+Infinity':
      return Number.POSITIVE_INFINITY
    case '-Infinity':
      return Number.NEGATIVE_INFINITY
    default:
      return undefined
  }
}

/** A number counts seconds, millis, micros or nanos, by the precision of the type. */
function timestamp(text: string, precision: number): bigint | undefined {
  const epoch = integer(text, 64)
  const shape = { offset: 'forbidden', lenient: true } as const
  const nanos = epoch === undefined ? parseTimestamp(text, NANOS, shape)?.ticks : scaled(epoch, precision)
  return nanos === undefined || precision > 6 ? nanos : nanos % 1000n === 0n ? nanos / 1000n : undefined
}

function scaled(epoch: bigint, precision: number): bigint | undefined {
  return precision % 3 === 0 ? epoch * 10n ** BigInt(9 - precision) : undefined
}
