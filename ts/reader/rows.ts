import { releaseBatch } from '../arrow/release.js'
import { type Row, rowsOf } from '../arrow/values.js'
import type { BatchReader } from './batch-reader.js'

/**
 * The remaining rows of a reader as plain objects, for small results; values as {@link rowsOf} has them.
 * Leaving the loop closes the reader.
 */
export async function* readRows(reader: BatchReader): AsyncGenerator<Row, void, undefined> {
  for await (const batch of reader) {
    yield* rowsOf(batch, reader.projection)
    // Rows hold nothing of it.
    releaseBatch(batch)
  }
}
