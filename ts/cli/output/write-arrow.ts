import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type RecordBatch, RecordBatchStreamWriter, type Schema, Table, tableToIPC } from 'apache-arrow'

import { Sink } from './sink.js'

/** Writes batches as an Arrow IPC stream to `out` or stdout, as fast as it is taken. */
export async function writeArrow(
  schema: Schema,
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  out: string | undefined,
): Promise<void> {
  const iterator = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]()
  const first = await iterator.next()
  if (first.done) {
    // A stream without batches would be without its schema too.
    const sink = new Sink(out)
    await sink.write(tableToIPC(new Table(schema), 'stream'))
    await sink.end()
    return
  }
  const target = out === undefined ? process.stdout : createWriteStream(out)
  try {
    await pipeline(Readable.from(resume(first.value, iterator)), RecordBatchStreamWriter.throughNode(), target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

async function* resume(
  first: RecordBatch,
  rest: AsyncIterator<RecordBatch> | Iterator<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
