import { setTimeout as delay } from 'node:timers/promises'
import type { Piscina } from 'piscina'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LakefoldError } from '../../ts/base/errors.js'
import { native } from '../../ts/base/native.js'
import { openReader } from '../../ts/reader/batch-reader.js'
import { COLUMNS, LARGE, LARGE_ROWS, repeat, taskOf } from '../unit/reader/tasks.js'

const pools = () => [
  ...(globalThis as unknown as Record<symbol, Map<string, Promise<Piscina>>>)[Symbol.for('lakefold.pool')]!.values(),
]
const open = (tasks: number, numWorkers = 4) =>
  openReader({ tasks: repeat(taskOf(LARGE), tasks), projection: COLUMNS, options: { numWorkers } })

async function count(tasks: number): Promise<number> {
  return (await open(tasks)).fold(0, (sum, batch) => sum + batch.numRows)
}

afterEach(() => vi.unstubAllEnvs())

describe('worker threads', () => {
  test('the death of a thread fails the reads that it served, typed, and no others', async () => {
    expect(await count(1)).toBe(LARGE_ROWS)
    const outcomes = Promise.allSettled(Array.from({ length: 4 }, () => count(10)))
    await delay(30)
    for (const thread of (await pools()[0]!).threads) await thread.terminate()
    for (const outcome of await outcomes) {
      if (outcome.status === 'fulfilled') expect(outcome.value).toBe(10 * LARGE_ROWS)
      else expect(LakefoldError.is(outcome.reason) && outcome.reason.code).toBe('INTERNAL')
    }
    expect(native().memory().unclaimed).toBe(0)
    expect(await count(3)).toBe(3 * LARGE_ROWS)
  })

  test('many readers at once share one pool and lose no row', async () => {
    expect(await Promise.all(Array.from({ length: 12 }, (_, i) => count((i % 4) + 1)))).toEqual(
      Array.from({ length: 12 }, (_, i) => ((i % 4) + 1) * LARGE_ROWS),
    )
    expect(pools().length).toBe(1)
  })

  test('readers closed at any moment leave nothing behind', async () => {
    for (let round = 0; round < 30; round++) {
      const reader = await open(8)
      const reading = (async () => {
        while ((await reader.nextBatch()) !== null);
      })()
      await delay(round % 10)
      await reader.close()
      await reading
    }
    await delay(100)
    expect(native().memory().unclaimed).toBe(0)
  })
})
