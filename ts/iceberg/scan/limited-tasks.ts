import type { FileScanTask } from '../../task/scan-task.js'
import type { PlannedFile } from '../plan/planned-file.js'

/**
 * Tasks for a read that ends after `limit` rows. Plans at once until the files so far are sure to hold that many rows;
 * the rest is planned only if the reader asks for it, since a manifest may count wrong.
 */
export async function limitedTasks(
  plan: AsyncGenerator<PlannedFile>,
  piecesOf: (planned: PlannedFile) => FileScanTask[],
  limit: number,
): Promise<AsyncIterable<FileScanTask> | readonly FileScanTask[]> {
  const planned: FileScanTask[] = []
  let sure = 0n
  while (sure < BigInt(limit)) {
    const next = await plan.next()
    if (next.done) return planned
    planned.push(...piecesOf(next.value))
    sure += sureRows(next.value)
  }
  return (async function* () {
    try {
      yield* planned
      for await (const file of plan) yield* piecesOf(file)
    } finally {
      await plan.return(undefined)
    }
  })()
}

/** Rows that a file has for certain, by its manifest. */
function sureRows({ file, deletes, residual, onlyDeletedBy }: PlannedFile): bigint {
  const plain = deletes.length === 0 && onlyDeletedBy === undefined && residual.op === 'true'
  return plain && file.recordCount > 0n ? file.recordCount : 0n
}
