import type { FileScanTask } from '../../task/scan-task.js'

/**
 * The pieces that a whole-file task is cut into, as `TableScanUtil.splitFiles` of Iceberg Java does:
 * one per split offset where the file has usable ones (the first piece then starts at the first offset,
 * 4 in Parquet), else cuts of `splitSize` bytes from 0.
 */
export function splitFile(
  task: FileScanTask,
  offsets: readonly bigint[] | undefined,
  splitSize: number,
): FileScanTask[] {
  const end = task.start + task.length
  const usable = usableOffsets(offsets, end)
  const starts = usable ?? fixedStarts(task.start, end, splitSize)
  if (starts.length === 0) return [task]
  return starts.map((start, i) => task.withRange(start, (starts[i + 1] ?? end) - start))
}

/**
 * Adjacent pieces of a file joined while their sum is at most `splitSize` bytes. A file that ends up in one piece
 * is the whole task. With a split size of 0 a file is never cut.
 */
export function splitAndJoin(
  task: FileScanTask,
  offsets: readonly bigint[] | undefined,
  splitSize: number,
): FileScanTask[] {
  if (splitSize <= 0 || task.length <= splitSize) return [task]
  const joined: FileScanTask[] = []
  for (const piece of splitFile(task, offsets, splitSize)) {
    const last = joined.at(-1)
    if (last !== undefined && last.length + piece.length <= splitSize) {
      joined[joined.length - 1] = task.withRange(last.start, last.length + piece.length)
    } else {
      joined.push(piece)
    }
  }
  return joined.length === 1 ? [task] : joined
}

/** Split offsets as numbers, or undefined unless they ascend strictly and lie inside the file. */
function usableOffsets(offsets: readonly bigint[] | undefined, end: number): number[] | undefined {
  if (offsets === undefined || offsets.length === 0) return undefined
  const starts = offsets.map(Number)
  const ascends = starts.every((start, i) => start >= 0 && (i === 0 || start > starts[i - 1]!))
  return ascends && starts.at(-1)! < end ? starts : undefined
}

function fixedStarts(start: number, end: number, splitSize: number): number[] {
  const starts: number[] = []
  for (let at = start; at < end; at += splitSize) starts.push(at)
  return starts
}
