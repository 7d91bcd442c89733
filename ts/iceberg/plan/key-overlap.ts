import { hasNoNulls, onlyNulls } from '../../expr/counts.js'
import { decodeBound } from '../../types/bounds.js'
import { type Comparator, compareValues } from '../../types/compare.js'
import { isFloat } from '../../types/kinds.js'
import { type ColumnRef, optionalParents } from '../../types/schema.js'
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
  const counted = { fieldId: id, optionalParents: optionalParents(column) }
  const noNulls = (file: ContentFile) => column.required || hasNoNulls(file, counted)
  if (!noNulls(data) && !noNulls(deletes)) return true
  if (onlyNulls(data, id) && noNulls(deletes)) return false
  if (onlyNulls(deletes, id) && noNulls(data)) return false
  // Bounds do not cover NaN, which equals itself in a key.
  if (isFloat(type) && data.nanCount(id) !== 0n && deletes.nanCount(id) !== 0n) return true
  const a = range(data, id, type)
  const b = range(deletes, id, type)
  if (a === undefined || b === undefined) return true
  const compare = orderOf(type)
  return compare(a.lower, b.upper) <= 0 && compare(b.lower, a.upper) <= 0
}

/** Both bounds, or undefined where one is missing, no value of the type, or they are inverted. */
function range(file: ContentFile, id: number, type: PrimitiveType): { lower: Value; upper: Value } | undefined {
  const lowerBytes = file.lowerBound(id)
  const upperBytes = file.upperBound(id)
  if (lowerBytes === undefined || upperBytes === undefined) return undefined
  const lower = decodeBound(type, lowerBytes)
  const upper = decodeBound(type, upperBytes)
  if (lower === undefined || upper === undefined) return undefined
  // Of uuids the order of the writer is not known, so that no order tells whether they are inverted.
  return type.kind === 'uuid' || orderOf(type)(lower, upper) <= 0 ? { lower, upper } : undefined
}

/** The order in which ranges are compared. Which deletes a plan attaches is Java's decision, also for uuids. */
function orderOf(type: PrimitiveType): Comparator {
  return type.kind === 'uuid' ? compareSignedUuids : compareValues(type)
}

/** The order of `java.util.UUID`: two signed 64-bit integers. */
function compareSignedUuids(a: Value, b: Value): number {
  for (const offset of [0, 8]) {
    const [x, y] = [a, b].map((value) => {
      const bytes = value as Uint8Array
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigInt64(offset)
    }) as [bigint, bigint]
    if (x !== y) return x < y ? -1 : 1
  }
  return 0
}
