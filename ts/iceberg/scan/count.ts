import { throwIfAborted } from '../../base/abort.js'
import { type Counter, openCounter } from '../../exec/count.js'
import { readSettings, type ScanOptions } from '../../exec/options.js'
import { strictMetrics } from '../../expr/evaluate-strict.js'
import type { BoundExpression, FileMetrics } from '../../expr/node.js'
import type { FileScanTask } from '../../task/scan-task.js'
import type { PlannedFile } from '../plan/planned-file.js'

/**
 * Counts the rows of planned files, exactly. A file is not opened if its residual is true, or its metrics prove that
 * all rows match, and no equality delete applies; then only positional deletes are read, if there are any.
 */
export async function countPlanned(
  plan: AsyncIterable<PlannedFile>,
  taskOf: (planned: PlannedFile) => FileScanTask,
  options: ScanOptions = {},
): Promise<bigint> {
  const { limit, numWorkers, signal } = readSettings(options)
  const enough = limit === Number.POSITIVE_INFINITY ? undefined : BigInt(limit)
  const allMatch = proofs()
  // Most counts need no file, and so no decoder.
  let opened: Counter | undefined
  const counter = () => {
    opened ??= openCounter(options)
    return opened
  }
  const running = new Set<Promise<void>>()
  let total = 0n
  let failure: { readonly error: unknown } | undefined
  const start = async (work: Promise<bigint>) => {
    const tracked: Promise<void> = work
      .then((rows) => {
        total += rows
      })
      .finally(() => running.delete(tracked))
    // Its error is thrown by the race or by the wait for all of them.
    tracked.catch((error) => {
      failure ??= { error }
    })
    running.add(tracked)
    if (running.size >= numWorkers) await Promise.race(running)
  }
  try {
    for await (const planned of plan) {
      throwIfAborted(signal)
      const { file, deletes } = planned
      const known = file.recordCount >= 0n && planned.onlyDeletedBy === undefined
      const positional = deletes.every((deleteFile) => deleteFile.content === 'position-deletes')
      if (known && positional && allMatch(planned.residual, file)) {
        if (deletes.length === 0) total += file.recordCount
        else {
          const hidden = counter().countDeletedPositions(taskOf(planned).toJson())
          await start(hidden.then((positions) => file.recordCount - positions))
        }
      } else {
        await start(counter().countRows(taskOf(planned).toJson()))
      }
      if (failure !== undefined) throw failure.error
      if (enough !== undefined && running.size === 0 && total >= enough) break
    }
    await Promise.all(running)
    if (failure !== undefined) throw failure.error
  } finally {
    opened?.close()
  }
  return enough !== undefined && total > enough ? enough : total
}

/** Whether a residual holds for every row of a file. Residuals are shared by many files, so each is compiled once. */
function proofs(): (residual: BoundExpression, file: FileMetrics) => boolean {
  const compiled = new WeakMap<BoundExpression, (file: FileMetrics) => boolean>()
  return (residual, file) => {
    if (residual.op === 'true') return true
    let test = compiled.get(residual)
    if (test === undefined) {
      test = strictMetrics(residual)
      compiled.set(residual, test)
    }
    return test(file)
  }
}
