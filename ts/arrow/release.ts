import type { RecordBatch } from 'apache-arrow'
import { native } from '../base/native.js'

const buffersOf = new WeakMap<RecordBatch, readonly ArrayBuffer[]>()

/** Notes which memory a batch stands on. */
export function remember(batch: RecordBatch, buffers: readonly ArrayBuffer[]): void {
  buffersOf.set(batch, buffers)
}

/** Cuts a batch of a reader to its first rows; it stands on the same memory. */
export function head(batch: RecordBatch, rows: number): RecordBatch {
  if (rows >= batch.numRows) return batch
  const cut = batch.slice(0, rows)
  remember(cut, buffersOf.get(batch) ?? [])
  return cut
}

/**
 * Frees the memory of a batch that a reader gave, without waiting for the garbage collector. The batch, and all
 * vectors, slices and tables made of it, are empty from then on. Batches from elsewhere are left alone.
 *
 * @example
 * ```ts
 * for await (const batch of reader) {
 *   sum += total(batch)
 *   releaseBatch(batch)
 * }
 * ```
 */
export function releaseBatch(batch: RecordBatch): void {
  const buffers = buffersOf.get(batch)
  if (buffers === undefined) return
  buffersOf.delete(batch)
  native().detach(buffers.filter((buffer) => buffer.byteLength > 0))
}
