import { setTimeout as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { RecordBatch } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { releaseBatch } from '../../ts/arrow/release.js'
import { native } from '../../ts/base/native.js'
import { openReader } from '../../ts/reader/batch-reader.js'
import { COLUMNS, LARGE, LARGE_ROWS, repeat, taskOf } from '../unit/reader/tasks.js'

/** Objects that make V8 collect those that died young, and batches with them, whenever it likes. */
function garbage(): unknown[] {
  let made: unknown[] = []
  for (let i = 0; i < 20_000; i++) made = [made.length, i, {}]
  return made
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes that V8 counts outside its heap, without those of garbage: earlier tests left batches too. */
async function counted(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect()
    await turn(10)
  }
  // Not `process.memoryUsage().external`, which knows of ArrayBuffers alone and of no adjustment.
  return native().recount()
}

/** Bytes by which the count differs for other reasons. */
const SLACK = 2 ** 22

describe('batches that are left to the garbage collector', () => {
  // V8 ends the process where it is told that more memory was freed than there was.
  test.each([
    { released: 0, memoryLimit: 2 ** 28 },
    { released: 0, memoryLimit: 2 ** 25 },
    { released: 2, memoryLimit: 2 ** 28 },
    { released: 1, memoryLimit: 2 ** 25 },
  ])('are freed by it while others are read: %o', async ({ released, memoryLimit }) => {
    const copies = 100
    const before = await counted()
    const options = { numWorkers: 2, batchSize: 8192, memoryLimit }
    const reader = await openReader({ tasks: repeat(taskOf(LARGE), copies), projection: COLUMNS, options })
    let [rows, batches] = [0, 0]
    for await (const batch of reader) {
      rows += batch.numRows
      garbage()
      if (released > 0 && batches++ % released === 0) releaseBatch(batch)
    }
    expect(rows).toBe(copies * LARGE_ROWS)
    await reader.close()
    expect(Math.abs((await counted()) - before)).toBeLessThan(SLACK)
  })

  test.each([2 ** 28, 2 ** 25])(
    'are what V8 counts once the read is over, at a limit of %i bytes',
    async (memoryLimit) => {
      const copies = 50
      const before = await counted()
      const options = { numWorkers: 2, batchSize: 8192, memoryLimit }
      const reader = await openReader({ tasks: repeat(taskOf(LARGE), copies), projection: COLUMNS, options })
      const kept: RecordBatch[] = []
      for await (const batch of reader) kept.push(batch)
      await reader.close()
      // Two columns of 4 bytes a row.
      const bytes = copies * LARGE_ROWS * 8
      expect(Math.abs((await counted()) - before - bytes)).toBeLessThan(bytes / 10 + SLACK)
      expect(kept.length).toBeGreaterThan(0)
      kept.length = 0
      expect(Math.abs((await counted()) - before)).toBeLessThan(SLACK)
    },
  )
})
