import { LakefoldError } from '../../base/errors.js'
import type { FileScanTask } from '../../task/scan-task.js'
import { BinPacker } from './bin-pack.js'

/** How `planTasks` packs file pieces into groups; the defaults are Iceberg's `read.split.*` properties. */
export interface TaskGroupOptions {
  /** Bytes that a group aims for, and the size of cuts in files without split offsets. Default 128 MiB. */
  readonly splitSize?: number
  /** How many groups are open at a time. Default 10. */
  readonly lookback?: number
  /** The least weight of a file, in bytes. Default 4 MiB. */
  readonly openFileCost?: number
}

/** Fills in the defaults and checks the ranges; `splitSize` must be positive, `openFileCost` at least 0. */
export function taskGroupOptions(options: TaskGroupOptions = {}): Required<TaskGroupOptions> {
  const filled = { splitSize: 128 * 1024 ** 2, lookback: 10, openFileCost: 4 * 1024 ** 2, ...options }
  const least = { splitSize: 1, lookback: 1, openFileCost: 0 }
  for (const name of ['splitSize', 'lookback', 'openFileCost'] as const) {
    if (!Number.isSafeInteger(filled[name]) || filled[name] < least[name]) {
      throw new LakefoldError('INVALID_ARGUMENT', `${name} must be an integer of at least ${least[name]}`, {
        context: { field: name, value: filled[name] },
      })
    }
  }
  return filled
}

/** Groups of pieces, adjacent pieces of a file merged (`TableScanUtil.planTasks` of Iceberg Java). */
export function groupTasks(pieces: Iterable<FileScanTask>, options: Required<TaskGroupOptions>): FileScanTask[][] {
  const packer = new BinPacker<FileScanTask>(options.splitSize, options.lookback, (task) => {
    const deletes = task.deleteFiles.reduce(
      (bytes, file) => bytes + (file.contentSizeInBytes ?? file.fileSizeInBytes),
      0,
    )
    return Math.max(task.length + deletes, (1 + task.deleteFiles.length) * options.openFileCost)
  })
  const groups: FileScanTask[][] = []
  for (const piece of pieces) {
    const closed = packer.add(piece)
    if (closed !== undefined) groups.push(mergeAdjacent(closed))
  }
  return [...groups, ...packer.finish().map(mergeAdjacent)]
}

function mergeAdjacent(pieces: readonly FileScanTask[]): FileScanTask[] {
  const merged: FileScanTask[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last?.isFollowedBy(piece)) merged[merged.length - 1] = last.withRange(last.start, last.length + piece.length)
    else merged.push(piece)
  }
  return merged
}
