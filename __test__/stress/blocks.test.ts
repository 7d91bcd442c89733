import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseBatch } from '../../ts/arrow/release.js'
import { native } from '../../ts/base/native.js'
import { openReader } from '../../ts/reader/batch-reader.js'
import { COLUMNS, taskOf, workFolder, writeBig } from '../unit/reader/tasks.js'

const folder = workFolder()
/** Its row groups are larger than those of the fixtures, so that batches are large enough to be kept. */
const big = join(folder.path, 'big.parquet')

beforeAll(() => writeBig(big, 30))
afterAll(() => folder.remove())

async function read(memoryLimit: number): Promise<void> {
  const options = { numWorkers: 2, memoryLimit }
  const reader = await openReader({ tasks: [taskOf(big)], projection: COLUMNS, options })
  for (const batch of await reader.toBatches()) releaseBatch(batch)
}

test('blocks of batches wait for the next read, within the limit of the last one, and not for ever', async () => {
  await read(2 ** 28)
  await delay(50)
  const kept = native().memory().kept
  expect(kept).toBeGreaterThan(2 ** 24)
  expect(kept).toBeLessThanOrEqual(2 ** 28)
  await read(2 ** 22)
  await delay(50)
  expect(native().memory().kept).toBeLessThanOrEqual(2 ** 22)
  await read(2 ** 28)
  await delay(9000)
  expect(native().memory().kept).toBeGreaterThan(0)
  await delay(2000)
  expect(native().memory().kept).toBe(0)
})
