import type { FileMetrics } from './node.js'

/** A count of a file's metrics; negative ones are unknown, as writers put -1 for "not counted". */
function known(count: bigint | undefined): bigint | undefined {
  return count === undefined || count < 0n ? undefined : count
}

/** The null count is known to be zero. */
export function hasNoNulls(file: FileMetrics, fieldId: number): boolean {
  return file.nullCount(fieldId) === 0n
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
export function onlyNans(file: FileMetrics, fieldId: number): boolean {
  const values = known(file.valueCount(fieldId))
  return values !== undefined && values === known(file.nanCount(fieldId))
}
