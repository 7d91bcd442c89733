import { createRequire } from 'node:module'
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { Envelope, RawAddon } from '../base/native.js'
import type { Job, StepAnswer, WaitingBatch } from './jobs.js'

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

function step(job: Extract<Job, { op: 'step' }>): unknown {
  const opened =
    typeof job.task === 'number' ? { ok: true as const, value: job.task } : addon.taskOpen(job.scan, job.task)
  if (!opened.ok) return opened
  const next = addon.taskNext(job.scan, opened.value, job.maxBytes)
  if (!next.ok) return next
  const { batches, done } = next.value
  if (!job.copy) return answer({ handle: opened.value, batches, done })

  const copies: WaitingBatch[] = []
  for (const batch of batches) {
    const copied = addon.copyOut(batch.ticket)
    if (!copied.ok) return copied
    copies.push({ ...batch, claim: copied.value })
  }
  const buffers = copies.flatMap((copy) => copy.claim!.buffers)
  // The buffers are V8's own, so they can be transferred.
  const value = answer({ handle: opened.value, batches: copies, done })
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value } as unknown as Parameters<typeof move>[0])
}

function answer(value: StepAnswer): Envelope<StepAnswer> {
  return { ok: true, value }
}
