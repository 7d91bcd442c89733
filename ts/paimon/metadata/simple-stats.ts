import { BinaryRow } from './binary-row.js'
import type { DataFileMeta } from './data-file.js'
import type { Datum } from './datum.js'
import { LazyPlace, type Place } from './errors.js'
import type { RawStats } from './manifest-list.js'
import type { TableSchema } from './schema.js'
import type { PaimonField } from './types.js'

/** What is known of one column's values. Bounds hold for the values that are not null; undefined is unknown. */
export interface ColumnStats {
  readonly min: Datum | undefined
  readonly max: Datum | undefined
  readonly nullCount: bigint | undefined
}

export const UNKNOWN_STATS: ColumnStats = { min: undefined, max: undefined, nullCount: undefined }

/**
 * Statistics over some columns, decoded when asked for. A bound that is null or NaN, statistics without bytes and columns that are not
 * among them are unknown. Bounds of strings may be cut: they are bounds, not values.
 */
export class SimpleStats {
  private rows: { readonly min: BinaryRow; readonly max: BinaryRow } | undefined

  constructor(
    private readonly raw: RawStats,
    /** The columns in the order of the rows; undefined for one that is not of the schema. */
    private readonly fields: readonly (PaimonField | undefined)[],
    private readonly place: Place,
  ) {}

  /** What is known of the column with this field id. */
  column(fieldId: number): ColumnStats {
    const index = placesOf(this.fields).get(fieldId)
    return index === undefined ? UNKNOWN_STATS : this.at(index)
  }

  /** What is known of the column at this place among the statistics' columns. */
  at(index: number): ColumnStats {
    const field = this.fields[index]
    if (field === undefined) return UNKNOWN_STATS
    this.rows ??= {
      min: BinaryRow.deserialize(this.raw.minValues, this.within('_MIN_VALUES')),
      max: BinaryRow.deserialize(this.raw.maxValues, this.within('_MAX_VALUES')),
    }
    const count = this.raw.nullCounts?.[index]
    return {
      min: bound(this.rows.min, index, field),
      max: bound(this.rows.max, index, field),
      nullCount: count === undefined || count < 0n ? undefined : count,
    }
  }

  private within(member: string): Place {
    return new LazyPlace(this.place.file, () => `${this.place.field}.${member}`)
  }
}

/** By the columns of statistics, which are the same for many files: the places of field ids. */
const known = new WeakMap<readonly (PaimonField | undefined)[], ReadonlyMap<number, number>>()

function placesOf(fields: readonly (PaimonField | undefined)[]): ReadonlyMap<number, number> {
  const found = known.get(fields)
  if (found !== undefined) return found
  const places = new Map<number, number>()
  fields.forEach((field, i) => {
    if (field !== undefined) places.set(field.id, i)
  })
  known.set(fields, places)
  return places
}

function bound(row: BinaryRow, index: number, field: PaimonField): Datum | undefined {
  if (index >= row.arity) return undefined
  const value = row.get(index, field.type)
  return value === null || Number.isNaN(value) ? undefined : value
}

/** Whether statistics say that every value is null. */
export function onlyNulls(stats: ColumnStats, rowCount: bigint): boolean {
  return stats.nullCount !== undefined && stats.nullCount === rowCount
}

/** The columns that a file's value statistics are over; `schema` is the one that the file was written with. */
export function valueStatsFields(file: DataFileMeta, schema: TableSchema): readonly (PaimonField | undefined)[] {
  const names = file.valueStatsCols ?? file.writeCols
  if (names === undefined) return schema.fields
  const last = named.get(names)
  if (last?.schema === schema) return last.fields
  const fields = names.map((name) => schema.field(name))
  named.set(names, { schema, fields })
  return fields
}

/** Files share lists of names, see `SharedColumn`. */
const named = new WeakMap<
  readonly string[],
  { readonly schema: TableSchema; readonly fields: readonly (PaimonField | undefined)[] }
>()

/** Value statistics of a file; `schema` is the one that the file was written with, `manifest` is named in errors. */
export function valueStats(file: DataFileMeta, schema: TableSchema, manifest: string): SimpleStats {
  const place = new LazyPlace(manifest, () => `${file.fileName}: _VALUE_STATS`)
  return new SimpleStats(file.valueStats, valueStatsFields(file, schema), place)
}

/** Key statistics of a file, over the trimmed primary key. */
export function keyStats(file: DataFileMeta, schema: TableSchema, manifest: string): SimpleStats {
  const place = new LazyPlace(manifest, () => `${file.fileName}: _KEY_STATS`)
  return new SimpleStats(file.keyStats, schema.trimmedPrimaryKeys, place)
}
