import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { Envelope, RawAddon } from '../base/native.js'
import type { Ahead, Job, StepAnswer, StreamedAnswer, WaitingBatch } from './jobs.js'

/** The main thread's own copy of the addon: the ledger is shared through it. */
const addon = createRequire(import.meta.url)((workerData as { addon: string }).addon) as RawAddon

/** Runs one job. Never throws: errors come back as envelopes, with their codes. */
export default function run(job: Job): unknown {
  switch (job.op) {
    case 'step':
      return step(job)
    case 'countRows':
      return addon.countRows(job.scan, job.task)
    case 'countDeletedPositions':
      return addon.countDeletedPositions(job.scan, job.task)
    case 'parquetWrite':
      return addon.parquetWrite(job.writer, job.ticket, job.rows)
    case 'parquetFinish':
      return addon.parquetFinish(job.writer)
  }
}

type StepJob = Extract<Job, { op: 'step' }>

function step(job: StepJob): unknown {
  const opened =
    typeof job.task === 'number' ? { ok: true as const, value: job.task } : addon.taskOpen(job.scan, job.task)
  if (!opened.ok) return answer(0, opened)
  return job.copy ? copied(job, opened.value) : streamed(job, opened.value)
}

/** Decodes until the credit is used up: what is decoded is handed out while the next is. */
function streamed({ scan, maxBytes, credit, stream }: StepJob, handle: number): Envelope<StreamedAnswer> {
  let [sent, total, largest] = [0, 0, 0]
  for (;;) {
    const next = addon.taskNext(scan, handle, maxBytes)
    if (!next.ok) return answer(sent, next)
    const { batches, done } = next.value
    const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0)
    total += bytes
    largest = Math.max(largest, bytes)
    if (done || total + largest > credit) return answer(sent, { ok: true, value: { handle, batches, done } })
    parentPort!.postMessage({ stream, batches } satisfies Ahead)
    sent += 1
  }
}

function copied({ scan, maxBytes }: StepJob, handle: number): unknown {
  const next = addon.taskNext(scan, handle, maxBytes)
  if (!next.ok) return answer(0, next)
  const copies: WaitingBatch[] = []
  for (const batch of next.value.batches) {
    const copy = addon.copyOut(batch.ticket)
    if (!copy.ok) return answer(0, copy)
    copies.push({ ...batch, claim: copy.value })
  }
  const buffers = copies.flatMap((copy) => copy.claim!.buffers)
  // The buffers are V8's own, so they can be transferred.
  const value = answer(0, { ok: true, value: { handle, batches: copies, done: next.value.done } })
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value } as unknown as Parameters<typeof move>[0])
}

function answer(sent: number, step: Envelope<StepAnswer>): Envelope<StreamedAnswer> {
  return { ok: true, value: { sent, step } }
}
