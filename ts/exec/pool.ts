import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Piscina } from 'piscina'
import { LakefoldError } from '../base/errors.js'
import { nativePath, unwrap } from '../base/native.js'
import type { Ahead, Answer, Answers, Job, StepAnswer, WaitingBatch } from './jobs.js'

/** One for all copies of this module (ESM, CommonJS) that share an addon. */
const POOL = Symbol.for('lakefold.pool')
/** Who gets what steps send ahead, by the stream's name; for all copies as well. */
const STREAMS = Symbol.for('lakefold.streams')
const shared = globalThis as { [POOL]?: Map<string, Promise<Piscina>>; [STREAMS]?: Streams }

interface Streams {
  next: number
  readonly receivers: Map<number, (batches: readonly WaitingBatch[]) => void>
}

/** Workers make few objects, and those are messages: more room would only be memory that no reader counts. */
const LIMITS = { maxYoungGenerationSizeMb: 1 }

/** The threads of the pool: `LAKEFOLD_THREADS`, or one for each CPU. A scan's `numWorkers` is its window over them. */
function threads(): number {
  const asked = Number(process.env.LAKEFOLD_THREADS)
  return Number.isInteger(asked) && asked >= 1 && asked <= 1024 ? asked : availableParallelism()
}

/** The worker lies beside this file: built, or as the source that tests and tsx run. */
function workerFile(): { readonly filename: string; readonly execArgv: string[] | undefined } {
  if (!fileURLToPath(import.meta.url).endsWith('.ts')) {
    return { filename: new URL('./worker.js', import.meta.url).href, execArgv: undefined }
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return { filename: new URL('./worker.ts', import.meta.url).href, execArgv: ['--import', loader] }
}

function pool(): Promise<Piscina> {
  // Loaded here first, and kept: workers that go must not take the addon with them.
  const addon = nativePath()
  shared[POOL] ??= new Map()
  let pool = shared[POOL].get(addon)
  if (pool === undefined) {
    pool = start(addon)
    shared[POOL].set(addon, pool)
  }
  return pool
}

async function start(addon: string): Promise<Piscina> {
  // Plans need no threads: only reads pay for loading the pool.
  const { Piscina } = await import('piscina')
  const count = threads()
  // Threads are kept: starting one costs more than most reads. Piscina unrefs idle threads, so they hold no process.
  const piscina = new Piscina({
    ...workerFile(),
    minThreads: count,
    maxThreads: count,
    resourceLimits: LIMITS,
    workerData: { addon },
  })
  piscina.on('message', ({ stream, batches }: Ahead) => shared[STREAMS]?.receivers.get(stream)?.(batches))
  return piscina
}

/**
 * Runs a job on a worker thread. Rejects with the job's error, or INTERNAL if the thread died.
 * No abort signal: Piscina kills the thread of a running task. Cancel by the scan's native flag, which also makes
 * jobs that still wait end at once.
 */
export async function run<J extends Job>(job: J): Promise<Answers[J['op']]> {
  let answer: Answer<J>
  try {
    answer = await (await pool()).run(job)
  } catch (cause) {
    if (LakefoldError.is(cause)) throw cause
    throw new LakefoldError('INTERNAL', 'A worker thread died while it read', { cause })
  }
  return unwrap(answer)
}

/** How a step is asked for; the stream's name is given to it here. */
export type StepRequest = Omit<Extract<Job, { op: 'step' }>, 'op' | 'stream'>

/** Runs a step. `onBatches` gets what it sends ahead of its answer, all of it before the answer or the error. */
export async function runStep(
  request: StepRequest,
  onBatches: (batches: readonly WaitingBatch[]) => void,
): Promise<StepAnswer> {
  shared[STREAMS] ??= { next: 1, receivers: new Map() }
  const { receivers } = shared[STREAMS]
  const stream = shared[STREAMS].next++
  let received = 0
  let wake: (() => void) | undefined
  receivers.set(stream, (batches) => {
    received += 1
    onBatches(batches)
    wake?.()
  })
  try {
    const { sent, step } = await run({ ...request, op: 'step', stream })
    if (received < sent) await arrived(sent)
    return unwrap(step)
  } finally {
    receivers.delete(stream)
  }

  /** Messages come by another port than answers. */
  async function arrived(sent: number): Promise<void> {
    // The answer may have left nothing that keeps the process alive.
    const alive = setInterval(() => {}, 2 ** 30)
    while (received < sent) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    clearInterval(alive)
  }
}
