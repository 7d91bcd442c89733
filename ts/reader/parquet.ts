import { native } from '../base/native.js'
import { run } from '../exec/pool.js'
import type { PlacedBatch } from './source.js'

/** Writes batches from the ledger to a Parquet file on a worker thread; leaves no file behind when it fails. */
export async function writeParquetFile(
  path: string,
  projectionJson: string,
  dictionaries: readonly number[],
  next: () => Promise<PlacedBatch | null>,
): Promise<void> {
  const writer = native().parquetOpen(path, projectionJson, dictionaries)
  try {
    for (let placed = await next(); placed !== null; placed = await next()) {
      await run({ op: 'parquetWrite', writer, ticket: placed.batch.ticket, rows: placed.rows })
    }
    await run({ op: 'parquetFinish', writer })
  } catch (error) {
    native().parquetAbort(writer)
    throw error
  }
}
