import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RecordBatch, RecordBatchStreamWriter, type Schema } from 'apache-arrow'

/** Writes batches as an Arrow IPC stream to `out` or stdout, as fast as it is taken. */
export async function writeArrow(
  schema: Schema,
  batches: AsyncIterable<RecordBatch>,
  out: string | undefined,
): Promise<void> {
  const target = out === undefined ? process.stdout : createWriteStream(out)
  try {
    await pipeline(Readable.from(orEmpty(schema, batches)), RecordBatchStreamWriter.throughNode(), target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/** A stream without batches would be without its schema too. */
async function* orEmpty(schema: Schema, batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  let any = false
  for await (const batch of batches) {
    any = true
    yield batch
  }
  if (!any) yield new RecordBatch(schema)
}
