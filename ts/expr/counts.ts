import type { BoundTerm, FileMetrics } from './node.js'

/** A count of a file's metrics; negative ones are unknown, as writers put -1 for "not counted". */
function known(count: bigint | undefined): bigint | undefined {
  return count === undefined || count < 0n ? undefined : count
}

type Counted = Pick<BoundTerm, 'fieldId' | 'optionalParents'>

/** Whether null structs may hide nulls from the counts. */
const mayHideNulls = (file: FileMetrics, { optionalParents }: Counted): boolean =>
  file.countsPresentStructs === true && optionalParents?.every((id) => file.nullCount(id) === 0n) === false

/** The null count is known to be zero. */
export function hasNoNulls(file: FileMetrics, column: Counted): boolean {
  return file.nullCount(column.fieldId) === 0n && !mayHideNulls(file, column)
}

/** Every value is known to be null. */
export function onlyNulls(file: FileMetrics, fieldId: number): boolean {
  const values = known(file.valueCount(fieldId))
  return values !== undefined && values === known(file.nullCount(fieldId))
}

/** The NaN count is known to be zero. */
export function hasNoNans(file: FileMetrics, fieldId: number): boolean {
  return file.nanCount(fieldId) === 0n
}

/** Every value is known to be NaN. */
export function onlyNans(file: FileMetrics, column: Counted): boolean {
  const values = known(file.valueCount(column.fieldId))
  return values !== undefined && values === known(file.nanCount(column.fieldId)) && !mayHideNulls(file, column)
}
