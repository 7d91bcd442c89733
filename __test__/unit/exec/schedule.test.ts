import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget } from '../../../ts/exec/budget.js'
import { type Decoder, type Piece, Schedule } from '../../../ts/exec/schedule.js'

interface Named extends Piece {
  readonly name: string
}

interface FakeTask {
  readonly name: string
  /** Sizes of the pieces of each step. */
  readonly steps: readonly (readonly number[])[]
  readonly error?: Error
  readonly wait?: () => Promise<void>
}

/** What happened while fakes decoded. */
class Watch {
  running = 0
  mostRunning = 0
  waiting = 0
  mostWaiting = 0
  /** Pieces that came before the end of a call of `next`. */
  ahead = 0
  readonly waitingOf = new Map<string, number>()
  readonly mostWaitingOf = new Map<string, number>()
  readonly opened: string[] = []
  readonly closed: string[] = []

  decoder(task: FakeTask): Decoder<Named> {
    this.opened.push(task.name)
    let at = 0
    return {
      next: async (credit, ahead) => {
        this.running += 1
        this.mostRunning = Math.max(this.mostRunning, this.running)
        let [total, largest] = [0, 0]
        try {
          for (;;) {
            await task.wait?.()
            if (at === task.steps.length && task.error !== undefined) throw task.error
            const index = at++
            const sizes = task.steps[index] ?? []
            const pieces = sizes.map((bytes, piece) => ({ bytes, name: `${task.name}.${index}.${piece}` }))
            const bytes = sizes.reduce((sum, size) => sum + size, 0)
            for (const { bytes } of pieces) this.#wait(task.name, bytes)
            total += bytes
            largest = Math.max(largest, bytes)
            const done = task.error === undefined && at >= task.steps.length
            if (done || total + largest > credit) return { pieces, done }
            this.ahead += pieces.length
            ahead(pieces)
          }
        } finally {
          this.running -= 1
        }
      },
      close: () => this.closed.push(task.name),
    }
  }

  #wait(task: string, bytes: number): void {
    this.waiting += bytes
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting)
    const own = (this.waitingOf.get(task) ?? 0) + bytes
    this.waitingOf.set(task, own)
    this.mostWaitingOf.set(task, Math.max(this.mostWaitingOf.get(task) ?? 0, own))
  }

  taken(piece: Named): void {
    const task = piece.name.split('.')[0]!
    this.waiting -= piece.bytes
    this.waitingOf.set(task, this.waitingOf.get(task)! - piece.bytes)
  }
}

function start(tasks: AsyncIterable<FakeTask> | Iterable<FakeTask>, window: number, limit = 1e9, held = () => 0) {
  const watch = new Watch()
  const budget = new Budget(limit, window, 1, held)
  const schedule = new Schedule<FakeTask, Named>({ tasks, open: (task) => watch.decoder(task), window, budget })
  return { watch, schedule }
}

async function drain({ schedule, watch }: ReturnType<typeof start>): Promise<string[]> {
  const names: string[] = []
  for (let piece = await schedule.next(); piece !== undefined; piece = await schedule.next()) {
    watch.taken(piece)
    names.push(piece.name)
  }
  return names
}

function expected(tasks: readonly FakeTask[]): string[] {
  return tasks.flatMap((t) => t.steps.flatMap((sizes, step) => sizes.map((_, piece) => `${t.name}.${step}.${piece}`)))
}

const steps = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }), { maxLength: 4 })
const waits = fc.constantFrom(
  undefined,
  () => Promise.resolve(),
  () => delay(0),
  () => delay(2),
)
const plans = fc
  .array(fc.record({ steps, wait: waits }), { maxLength: 12 })
  .map((tasks): FakeTask[] =>
    tasks.map(({ steps, wait }, index) => ({ name: `t${index}`, steps, ...(wait && { wait }) })),
  )

describe('Schedule', () => {
  test('gives the same pieces in the same order for 1 to 8 workers, whoever is done first', async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 300 }),
        async (tasks, n, limit) => {
          expect(await drain(start(tasks, n, limit))).toEqual(expected(tasks))
        },
      ),
      { numRuns: 150 },
    )
  })

  test('decodes as many tasks at a time as the window has places', async () => {
    const tasks = Array.from({ length: 10 }, (_, i) => ({ name: `t${i}`, steps: [[1], [1]], wait: () => delay(2) }))
    const run = start(tasks, 4)
    expect(await drain(run)).toEqual(expected(tasks))
    expect(run.watch.mostRunning).toBe(4)
  })

  test('hands out what a task has decoded while it goes on', async () => {
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    let steps = 0
    const wait = () => (++steps === 3 ? slow : Promise.resolve())
    const run = start([{ name: 'a', steps: [[1], [1], [1], [1]], wait }], 1)
    expect((await run.schedule.next())?.name).toBe('a.0.0')
    expect((await run.schedule.next())?.name).toBe('a.1.0')
    expect(run.watch.running).toBe(1)
    release()
    expect(await drain(run)).toEqual(['a.2.0', 'a.3.0'])
  })

  test('lets later tasks go on while a slow one is at the head', async () => {
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const tasks: FakeTask[] = [
      { name: 'slow', steps: [[1]], wait: () => slow },
      ...Array.from({ length: 6 }, (_, i) => ({ name: `t${i}`, steps: [[1]] })),
    ]
    const run = start(tasks, 2)
    const first = run.schedule.next()
    await delay(20)
    expect(run.watch.opened).toEqual(tasks.map((t) => t.name))
    release()
    expect((await first)?.name).toBe('slow.0.0')
  })

  test('an error comes after the pieces of all tasks before it, and of its own', async () => {
    const tasks: FakeTask[] = [
      { name: 'a', steps: [[1], [1]], wait: () => delay(5) },
      { name: 'b', steps: [[1]], error: new Error('b broke') },
      { name: 'c', steps: [[1]] },
    ]
    for (const window of [1, 2, 3]) {
      const { schedule } = start(tasks, window)
      const names: string[] = []
      const failing = (async () => {
        for (let piece = await schedule.next(); piece; piece = await schedule.next()) names.push(piece.name)
      })()
      await expect(failing).rejects.toThrow('b broke')
      expect(names).toEqual(['a.0.0', 'a.1.0', 'b.0.0'])
    }
  })

  test('an error of the plan comes after all tasks before it', async () => {
    async function* plan(): AsyncGenerator<FakeTask> {
      yield { name: 'a', steps: [[1]], wait: () => delay(5) }
      throw new Error('bad manifest')
    }
    const { schedule } = start(plan(), 4)
    expect((await schedule.next())?.name).toBe('a.0.0')
    await expect(schedule.next()).rejects.toThrow('bad manifest')
  })

  test('opens no task after one that failed', async () => {
    const tasks: FakeTask[] = [
      { name: 'slow', steps: [[1]], wait: () => delay(20) },
      { name: 'bad', steps: [], error: new Error('bad') },
      ...Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, steps: [[1]] })),
    ]
    const run = start(tasks, 2)
    await run.schedule.next()
    await expect(run.schedule.next()).rejects.toThrow('bad')
    expect(run.watch.opened.length).toBeLessThan(5)
  })

  test('keeps the budget, but a step more for each worker, and no task passes its share', async () => {
    const tasks = Array.from({ length: 8 }, (_, i) => ({
      name: `t${i}`,
      steps: Array.from({ length: 50 }, () => [10]),
    }))
    const run = start(tasks, 4, 200)
    const first = await run.schedule.next()
    run.watch.taken(first!)
    await delay(10)
    expect(run.watch.mostWaiting).toBeLessThanOrEqual(200 + 4 * 10)
    for (const most of run.watch.mostWaitingOf.values()) expect(most).toBeLessThanOrEqual(200 / 4)
    expect(1 + (await drain(run)).length).toBe(8 * 50)
    expect(run.watch.ahead).toBeGreaterThan((8 * 50) / 2)
    expect(run.watch.mostWaiting).toBeLessThanOrEqual(200 + 4 * 10)
  })

  test('goes on with a piece larger than the whole budget, and when the consumer keeps all of it', async () => {
    const tasks = Array.from({ length: 4 }, (_, i) => ({ name: `t${i}`, steps: [[500], [500]] }))
    expect(await drain(start(tasks, 4, 100))).toEqual(expected(tasks))
    expect(await drain(start(tasks, 4, 100, () => 1e9))).toEqual(expected(tasks))
  })

  test('closing gives up tasks and plan, ends a waiting call, and gives nothing more', async () => {
    let returned = false
    async function* plan(): AsyncGenerator<FakeTask> {
      try {
        for (let i = 0; ; i++) yield { name: `t${i}`, steps: [[1], [1]], wait: () => delay(10) }
      } finally {
        returned = true
      }
    }
    const { schedule, watch } = start(plan(), 3)
    await schedule.next()
    const waiting = schedule.next()
    schedule.close()
    expect(await waiting).toBeUndefined()
    expect(await schedule.next()).toBeUndefined()
    await delay(30)
    expect(returned).toBe(true)
    expect(watch.closed.length).toBeGreaterThan(0)
    const opened = watch.opened.length
    await delay(20)
    expect(watch.opened.length).toBe(opened)
  })

  test('plans no further than the window and what may wait', async () => {
    let planned = 0
    function* plan(): Generator<FakeTask> {
      for (;;) yield { name: `t${planned++}`, steps: [[1]] }
    }
    const { schedule } = start(plan(), 2)
    await schedule.next()
    await delay(20)
    expect(planned).toBeLessThanOrEqual(2 * 16 + 2)
    schedule.close()
  })
})
