import { LakefoldError } from '../../base/errors.js'
import { formatDecimal } from '../../types/decimal.js'
import { formatDate } from '../../types/temporal.js'
import type { Datum } from './datum.js'
import { castDateTime, javaDateTime, javaFloat, javaTime } from './java-text.js'
import type { Options } from './option.js'
import { PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME } from './options.js'
import { type PaimonField, typeText } from './types.js'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const ESCAPED = /[\u0000-\u001f\u007f"#%'*/:=?\\{}[\]^]/g

/** A part of a path with the characters that cannot stand in one as `%XX`. */
export function escapePathName(name: string): string {
  return name.replace(ESCAPED, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** What {@link escapePathName} was given; a `%` without two hex digits stands for itself. */
export function unescapePathName(name: string): string {
  return name.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** How a table spells the values of its partition folders. */
export interface PartitionSpelling {
  /** Stands for null and for blank text. */
  readonly defaultName: string
  /** Whether values are spelled as rows hold them, a date as its day number; else as a cast to string gives them. */
  readonly legacy: boolean
}

/** The spelling that the options tell. */
export function partitionSpelling(options: Options): PartitionSpelling {
  return { defaultName: options.get(PARTITION_DEFAULT_NAME), legacy: options.get(PARTITION_LEGACY_NAME) }
}

/** The folders of a partition, `k1=v1/k2=v2`; empty for a table without partitions. */
export function partitionPath(
  fields: readonly PaimonField[],
  values: readonly Datum[],
  spelling: PartitionSpelling,
): string {
  return fields
    .map((field, i) => {
      const value = partitionValueText(field, values[i] as Datum, spelling)
      return `${escapePathName(field.name)}=${escapePathName(value)}`
    })
    .join('/')
}

/** A partition value as its folder spells it, not escaped. UNSUPPORTED for types that have no spelling. */
export function partitionValueText(field: PaimonField, value: Datum, spelling: PartitionSpelling): string {
  if (value === null) return spelling.defaultName
  const text = valueText(field, value, spelling.legacy)
  return text.trim() === '' ? spelling.defaultName : text
}

function valueText({ name, type }: PaimonField, value: Datum, legacy: boolean): string {
  switch (type.kind) {
    case 'boolean':
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'bigint':
    case 'char':
    case 'varchar':
      return String(value)
    case 'float':
      return javaFloat(value as number, 32)
    case 'double':
      return javaFloat(value as number, 64)
    case 'decimal':
      return formatDecimal(value as bigint, type.scale)
    case 'date':
      return legacy ? String(value) : formatDate(value as number)
    case 'time':
      return legacy ? String((value as bigint) / 1000n) : javaTime((value as bigint) * 1000n, false)
    case 'timestamp':
    case 'timestamp_ltz': {
      const nanos = type.precision <= 6 ? (value as bigint) * 1000n : (value as bigint)
      return legacy ? javaDateTime(nanos) : castDateTime(nanos, type.precision)
    }
    default:
      throw new LakefoldError('UNSUPPORTED', `Partition column "${name}" has the type ${typeText(type)}`, {
        context: { column: name, type: typeText(type) },
      })
  }
}
