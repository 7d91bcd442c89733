import { describe, expect, test } from 'vitest'
import { native } from '../../../ts/base/native.js'
import type { WaitingBatch } from '../../../ts/exec/jobs.js'
import { runStep } from '../../../ts/exec/pool.js'
import { LARGE, LARGE_ROWS, taskOf } from '../reader/tasks.js'

const MISSING = '/nowhere/data.parquet'

/** A step over these files that decodes 4,096 rows at a time, to be told how many bytes it may decode. */
async function step(files: readonly string[], credit: number) {
  const scan = native().scanOpen('{"batchSize":4096,"workers":1,"memoryLimit":67108864}')
  const ahead: WaitingBatch[] = []
  const rows = () => ahead.reduce((sum, batch) => sum + batch.rows, 0)
  try {
    const task = files.map((file) => taskOf(file).toJson())
    const answer = await runStep({ scan, task, maxBytes: 1, credit, copy: false }, (batches) => ahead.push(...batches))
    return { ahead, rows: rows(), answer, error: undefined }
  } catch (error) {
    return { ahead, rows: rows(), answer: undefined, error }
  } finally {
    native().scanClose(scan)
  }
}

describe('a step', () => {
  test('sends what it decodes ahead of its answer, and ends with the rest', async () => {
    const { ahead, rows, answer } = await step([LARGE], 2 ** 30)
    expect(ahead.length).toBeGreaterThan(LARGE_ROWS / 4096 - 1)
    expect(answer?.done).toBe(true)
    expect(rows + answer!.batches.reduce((sum, batch) => sum + batch.rows, 0)).toBe(LARGE_ROWS)
  })

  test('decodes no more than its credit, or one batch if that is more', async () => {
    // Two columns of 4 bytes.
    const credit = 3.5 * 4096 * 8
    const { ahead, answer } = await step([LARGE], credit)
    const bytes = [...ahead, ...answer!.batches].reduce((sum, batch) => sum + batch.bytes, 0)
    expect(bytes).toBeGreaterThan(credit / 2)
    expect(bytes).toBeLessThanOrEqual(credit)
    expect(answer?.done).toBe(false)
    expect((await step([LARGE], 0)).ahead).toEqual([])
  })

  test('that fails has sent all rows before its error', async () => {
    const { rows, error } = await step([LARGE, MISSING], 2 ** 30)
    expect(rows).toBe(LARGE_ROWS)
    expect(error).toMatchObject({ code: 'FILE_NOT_FOUND', context: { file: MISSING } })
  })
})
