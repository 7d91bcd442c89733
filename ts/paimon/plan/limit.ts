import type { DataSplit } from './data-split.js'
import type { ScanRequest } from './scan-request.js'

/** The splits that suffice for a limit: those whose rows can be counted beforehand, if they are enough. */
export function limitSplits(
  splits: readonly DataSplit[],
  { limit, onRows, rowRanges }: ScanRequest,
): readonly DataSplit[] {
  if (limit === undefined || onRows.op !== 'true' || rowRanges !== undefined) return splits
  if (limit <= 0) return []
  const counted: DataSplit[] = []
  let rows = 0n
  for (const split of splits) {
    const count = split.mergedRowCount
    if (count === undefined) continue
    counted.push(split)
    rows += count
    if (rows >= BigInt(limit)) return counted
  }
  return splits
}
