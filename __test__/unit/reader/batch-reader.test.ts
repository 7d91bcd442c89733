import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type RecordBatch, tableFromIPC } from 'apache-arrow'
import { afterAll, describe, expect, test } from 'vitest'
import { releaseBatch } from '../../../ts/arrow/release.js'
import { LakefoldError } from '../../../ts/base/errors.js'
import { native } from '../../../ts/base/native.js'
import { countRows } from '../../../ts/exec/count.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { readRows } from '../../../ts/reader/rows.js'
import { COLUMNS, LARGE, LARGE_ROWS, repeat, taskOf, workFolder, writeBig } from './tasks.js'

const MIB = 2 ** 20
const folder = workFolder()
afterAll(() => folder.remove())

const ids = (batch: RecordBatch) => batch.getChildAt(0)!.toArray() as Int32Array
const settled = () => delay(20)

/** Waits until V8 has given back what was dropped. */
async function freed(): Promise<number> {
  for (let i = 0; i < 20 && native().memory().live > 0; i++) {
    native().relieve(0)
    await settled()
  }
  return native().memory().live
}

function codeOf(error: unknown): unknown {
  return LakefoldError.is(error) ? error.code : error
}

describe('BatchReader', () => {
  test('rows come in the order of tasks and files for 1 to 8 workers', async () => {
    const expected = (await (await openReader({ tasks: [taskOf(LARGE)], projection: COLUMNS })).toBatches()).flatMap(
      (b) => [...ids(b)],
    )
    expect(expected).toEqual(Array.from({ length: LARGE_ROWS }, (_, i) => i))
    for (const numWorkers of [1, 2, 3, 4, 8]) {
      const reader = await openReader({
        tasks: repeat(taskOf(LARGE), 5),
        projection: COLUMNS,
        options: { numWorkers, batchSize: 10_000 },
      })
      let at = 0
      for await (const batch of reader) {
        for (const id of ids(batch)) if (id !== at++ % LARGE_ROWS) throw new Error(`row ${at - 1} is ${id}`)
      }
      expect(at).toBe(5 * LARGE_ROWS)
      expect([reader.rows, reader.done, reader.failed(), reader.numTasks()]).toEqual([at, true, false, 5])
    }
  })

  test('a limit cuts in order, over batches and tasks, and reads no further', async () => {
    for (const limit of [0, 1, 9_999, 10_000, LARGE_ROWS + 5]) {
      const options = { limit, batchSize: 10_000, numWorkers: 3 }
      const table = await (
        await openReader({ tasks: repeat(taskOf(LARGE), 3), projection: COLUMNS, options })
      ).toTable()
      expect(table.numRows).toBe(limit)
      if (limit > 0) expect(table.get(limit - 1)!.toJSON().id).toBe((limit - 1) % LARGE_ROWS)
    }
    const before = native().counters().filesOpened
    await (
      await openReader({
        tasks: repeat(taskOf(LARGE), 500),
        projection: COLUMNS,
        options: { limit: 1, numWorkers: 2 },
      })
    ).toTable()
    expect(native().counters().filesOpened - before).toBeLessThan(100)
  })

  test('all ways out give the same rows', async () => {
    const open = () =>
      openReader({ tasks: repeat(taskOf(LARGE), 2), projection: COLUMNS, options: { batchSize: 50_000 } })
    const sum = (total: bigint, batch: RecordBatch) => ids(batch).reduce((t, id) => t + BigInt(id), total)
    const expected = 2n * ((BigInt(LARGE_ROWS) * BigInt(LARGE_ROWS - 1)) / 2n)
    expect(await (await open()).fold(0n, sum)).toBe(expected)
    expect((await (await open()).toTable()).batches.reduce(sum, 0n)).toBe(expected)
    expect(tableFromIPC(await (await open()).toIPC()).batches.reduce(sum, 0n)).toBe(expected)
    let [web, node, pulled] = [0n, 0n, 0n]
    for await (const batch of (await open()).toWebStream() as unknown as AsyncIterable<RecordBatch>)
      web = sum(web, batch)
    for await (const batch of (await open()).toNodeStream()) node = sum(node, batch as RecordBatch)
    const reader = await open()
    for (let batch = await reader.nextBatch(); batch !== null; batch = await reader.nextBatch())
      pulled = sum(pulled, batch)
    expect([web, node, pulled]).toEqual([expected, expected, expected])
    expect(await reader.nextBatch()).toBeNull()
    let rows = 0
    for await (const row of readRows(await open())) if (row.id === rows % LARGE_ROWS) rows += 1
    expect(rows).toBe(2 * LARGE_ROWS)
  })

  test('overlapping calls of nextBatch are answered in order', async () => {
    const reader = await openReader({ tasks: [taskOf(LARGE)], projection: COLUMNS, options: { batchSize: 20_000 } })
    const batches = await Promise.all(Array.from({ length: 60 }, () => reader.nextBatch()))
    expect(batches.flatMap((batch) => (batch === null ? [] : [...ids(batch)]))).toEqual(
      Array.from({ length: LARGE_ROWS }, (_, i) => i),
    )
    expect(batches.at(-1)).toBeNull()
  })

  test('a reader that is dropped without a word is closed by the garbage collector', async () => {
    await (async () => {
      const reader = await openReader({ tasks: repeat(taskOf(LARGE), 5), projection: COLUMNS })
      releaseBatch((await reader.nextBatch())!)
      await settled()
      expect(native().memory().unclaimed).toBeGreaterThan(0)
    })()
    await freed()
    expect(native().memory().unclaimed).toBe(0)
  })

  test('an early break frees everything that was read ahead', async () => {
    expect(await freed()).toBe(0)
    for await (const batch of await openReader({
      tasks: repeat(taskOf(LARGE), 50),
      projection: COLUMNS,
      options: { numWorkers: 4 },
    })) {
      expect(batch.numRows).toBeGreaterThan(0)
      await settled()
      expect(native().memory().unclaimed).toBeGreaterThan(0)
      releaseBatch(batch)
      break
    }
    expect(native().memory().unclaimed).toBe(0)
    await settled()
    expect(native().memory().live).toBe(0)
  })

  test('a table larger than the limit stays below it, batches dropped without release', async () => {
    expect(await freed()).toBe(0)
    const path = join(folder.path, 'big.parquet')
    await writeBig(path, 200)
    const limit = 64 * MIB
    const options = { memoryLimit: limit, numWorkers: 4 }
    const reader = await openReader({ tasks: [taskOf(path)], projection: COLUMNS, options })
    let [bytes, peak] = [0, 0]
    for await (const batch of reader) {
      bytes += batch.data.children.reduce((sum, child) => sum + child.byteLength, 0)
      peak = Math.max(peak, native().memory().live)
    }
    expect(reader.rows).toBe(200 * LARGE_ROWS)
    expect(bytes).toBeGreaterThan(3 * limit)
    expect(peak).toBeLessThanOrEqual(limit)
    // The last batch may still be on the stack.
    expect(await freed()).toBeLessThan(MIB)
  })

  test('a consumer that keeps every batch gets all of them', async () => {
    const options = { memoryLimit: 4 * MIB, numWorkers: 2 }
    const batches = await (
      await openReader({ tasks: repeat(taskOf(LARGE), 20), projection: COLUMNS, options })
    ).toBatches()
    expect(batches.reduce((sum, batch) => sum + batch.numRows, 0)).toBe(20 * LARGE_ROWS)
  })

  test('an abort ends a read inside a file at once, and is kept', async () => {
    const controller = new AbortController()
    const path = join(folder.path, 'big.parquet')
    const reader = await openReader({
      tasks: repeat(taskOf(path), 4),
      projection: COLUMNS,
      options: { signal: controller.signal, batchSize: 1000 },
    })
    await reader.nextBatch()
    const waiting = (async () => {
      for (;;) await reader.nextBatch()
    })()
    await delay(5)
    controller.abort(new Error('enough'))
    expect(codeOf(await waiting.catch((error: unknown) => error))).toBe('CANCELLED')
    expect(codeOf(await reader.nextBatch().catch((error: unknown) => error))).toBe('CANCELLED')
    expect(reader.failed()).toBe(true)
    expect(() => reader.raiseIfFailed()).toThrow('cancelled')
    await settled()
    expect(native().memory().unclaimed).toBe(0)
    const before = await openReader({
      tasks: [taskOf(LARGE)],
      projection: COLUMNS,
      options: { signal: AbortSignal.abort() },
    })
    expect(codeOf(await before.nextBatch().catch((error: unknown) => error))).toBe('CANCELLED')
  })

  test('an error comes in its place, names the file, and ends the read', async () => {
    const broken = join(folder.path, 'broken.parquet')
    writeFileSync(broken, 'PAR1 this is no Parquet file PAR1')
    for (const [file, code] of [
      [broken, 'CORRUPT_FILE'],
      [join(folder.path, 'absent.parquet'), 'FILE_NOT_FOUND'],
    ] as const) {
      for (const numWorkers of [1, 4]) {
        const tasks = [taskOf(LARGE), taskOf(file), taskOf(LARGE)]
        const reader = await openReader({ tasks, projection: COLUMNS, options: { numWorkers } })
        const failure = await reader.toTable().catch((error: unknown) => error)
        expect(codeOf(failure)).toBe(code)
        expect((failure as LakefoldError).context.file).toBe(file)
        expect(reader.rows).toBe(LARGE_ROWS)
        expect(reader.failure).toBe(failure)
        expect(() => reader.raiseIfFailed()).toThrow(failure as Error)
        expect(native().memory().unclaimed).toBe(0)
      }
    }
  })

  test('writeParquet gives the file its name only when it is whole', async () => {
    const path = join(folder.path, 'copy.parquet')
    const rows = await (
      await openReader({
        tasks: repeat(taskOf(LARGE), 2),
        projection: COLUMNS,
        options: { limit: 200_000 },
      })
    ).writeParquet(path)
    expect(rows).toBe(200_000)
    expect(await countRows(taskOf(path).toJson())).toBe(200_000n)
    const failing = await openReader({
      tasks: [taskOf(LARGE), taskOf(join(folder.path, 'absent'))],
      projection: COLUMNS,
    })
    await expect(failing.writeParquet(join(folder.path, 'never.parquet'))).rejects.toThrow('not found')
    expect(existsSync(join(folder.path, 'never.parquet'))).toBe(false)
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([])
    const begun = await openReader({ tasks: [taskOf(LARGE)], projection: COLUMNS })
    await begun.nextBatch()
    expect(codeOf(await begun.writeParquet(path).catch((error: unknown) => error))).toBe('INVALID_ARGUMENT')
    await begun.close()
  })

  test.each([{ numWorkers: -1 }, { batchSize: 1.5 }, { limit: -1 }, { memoryLimit: 10 }])(
    'refuses %o',
    async (options) => {
      await expect(openReader({ tasks: [], projection: COLUMNS, options })).rejects.toThrow(Object.keys(options)[0])
    },
  )

  test('no tasks are no rows', async () => {
    const table = await (await openReader({ tasks: [], projection: COLUMNS })).toTable()
    expect([table.numRows, table.numCols]).toEqual([0, 2])
  })
})
