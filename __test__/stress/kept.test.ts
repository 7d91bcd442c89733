import { setTimeout as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { releaseBatch } from '../../ts/arrow/release.js'
import { openReader } from '../../ts/reader/batch-reader.js'
import { COLUMNS, LARGE, LARGE_ROWS, repeat, taskOf } from '../unit/reader/tasks.js'

/** Objects that make V8 collect those that died young, and batches with them, whenever it likes. */
function garbage(): unknown[] {
  let made: unknown[] = []
  for (let i = 0; i < 20_000; i++) made = [made.length, i, {}]
  return made
}

describe('batches that are left to the garbage collector', () => {
  // V8 ends the process where it is told that more memory was freed than there was.
  test.each([
    { released: 0, memoryLimit: 2 ** 28 },
    { released: 0, memoryLimit: 2 ** 25 },
    { released: 2, memoryLimit: 2 ** 28 },
    { released: 1, memoryLimit: 2 ** 25 },
  ])('are freed by it while others are read: %o', async ({ released, memoryLimit }) => {
    const copies = 100
    const before = process.memoryUsage().external
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
    await turn(10)
    // What is counted once a read is over is what there is.
    if (released === 1) expect(Math.abs(process.memoryUsage().external - before)).toBeLessThan(2 ** 24)
  })
})
