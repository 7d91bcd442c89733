import type { RecordBatch } from 'apache-arrow'

import { batchRows, type UuidFields } from './cell.js'
import { type RowFormat, rowWriter } from './row-writer.js'
import { Sink } from './sink.js'

const CHUNK = 64 * 1024

/** Writes batches as text rows to `out` or stdout; stops reading where nobody takes the output. */
export async function writeBatches(
  columns: readonly string[],
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  format: RowFormat,
  out: string | undefined,
  uuids: UuidFields = new Set(),
): Promise<void> {
  const sink = new Sink(out)
  const writer = rowWriter(format)
  let text = writer.header(columns)
  for await (const batch of batches) {
    for (const row of batchRows(batch, uuids)) {
      text += writer.row(row)
      if (text.length < CHUNK) continue
      await sink.write(text)
      text = ''
    }
    if (sink.closed) break
  }
  await sink.write(text + writer.end())
  await sink.end()
}
