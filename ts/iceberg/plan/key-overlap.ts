import { decodeBound } from '../../types/bounds.js'
import { type Comparator, compareValues } from '../../types/compare.js'
import type { ColumnRef } from '../../types/schema.js'
import type { PrimitiveType, Value } from '../../types/types.js'
import type { ContentFile } from '../manifest/types.js'

/** Finds the column of an equality key by field id: in the scan's schema, else in another schema of the table. */
export type KeyColumns = (fieldId: number) => ColumnRef | undefined

/**
 * Whether some row of a data file may equal some row of an equality delete file, by what their column statistics say
 * about the key. True unless one key column excludes it: one side holds only nulls and the other none, or both ranges
 * are known and do not overlap while not both may hold null, nor both NaN.
 */
export function mayShareKeys(data: ContentFile, deletes: ContentFile, columns: KeyColumns): boolean {
  return (deletes.equalityIds ?? []).every((id) => {
    const column = columns(id)
    // Statistics are not kept for nested types; of a column that is in no schema nothing is known.
    if (column === undefined || column.field.type.kind === 'struct') return true
    if (column.field.type.kind === 'list' || column.field.type.kind === 'map') return true
    return mayShareKey(data, deletes, column, column.field.type)
  })
}

function mayShareKey(data: ContentFile, deletes: ContentFile, column: ColumnRef, type: PrimitiveType): boolean {
  const id = column.field.id
  const noNulls = (file: ContentFile) => column.required || file.nullCount(id) === 0n
  if (!noNulls(data) && !noNulls(deletes)) return true
  if (onlyNulls(data, id) && noNulls(deletes)) return false
  if (onlyNulls(deletes, id) && noNulls(data)) return false
  const isFloat = type.kind === 'float' || type.kind === 'double'
  // Bounds do not cover NaN, which equals itself in a key.
  if (isFloat && data.nanCount(id) !== 0n && deletes.nanCount(id) !== 0n) return true
  const a = range(data, id, type)
  const b = range(deletes, id, type)
  if (a === undefined || b === undefined) return true
  return overlap(a, b, compareValues(type))
}

interface Range {
  readonly lower: Value
  readonly upper: Value
  /** The range is all values from `lower` up, and all up to `upper`. */
  readonly wraps: boolean
}

function overlap(a: Range, b: Range, compare: Comparator): boolean {
  const touches = compare(a.lower, b.upper) <= 0
  const touched = compare(b.lower, a.upper) <= 0
  if (a.wraps && b.wraps) return true
  return a.wraps || b.wraps ? touches || touched : touches && touched
}

function onlyNulls(file: ContentFile, id: number): boolean {
  const nulls = file.nullCount(id)
  return nulls !== undefined && nulls >= 0n && nulls === file.valueCount(id)
}

/**
 * Both bounds, or undefined where one is missing, no value of the type, or they are inverted. Inverted bounds of uuids
 * are those of Java, which orders them as signed: in unsigned order its range goes round the end.
 */
function range(file: ContentFile, id: number, type: PrimitiveType): Range | undefined {
  const lowerBytes = file.lowerBound(id)
  const upperBytes = file.upperBound(id)
  if (lowerBytes === undefined || upperBytes === undefined) return undefined
  const lower = decodeBound(type, lowerBytes)
  const upper = decodeBound(type, upperBytes)
  if (lower === undefined || upper === undefined) return undefined
  const wraps = compareValues(type)(lower, upper) > 0
  return wraps && type.kind !== 'uuid' ? undefined : { lower, upper, wraps }
}
