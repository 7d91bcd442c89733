import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Data, Dictionary, type RecordBatch, tableFromIPC } from 'apache-arrow'
import { afterAll, describe, expect, test } from 'vitest'
import { releaseBatch } from '../../../ts/arrow/release.js'
import { native } from '../../../ts/base/native.js'
import type { ScanOptions } from '../../../ts/exec/options.js'
import { TableScan } from '../../../ts/iceberg/scan/table-scan.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { io, metadataOf } from '../plan/cases.js'
import { taskOf, workFolder } from './tasks.js'

const folder = workFolder()
afterAll(() => folder.remove())

/** Its cases hold the plain read to the reference: `s` has many values, `low` few. */
const scan = TableScan.of(metadataOf('tables/bloom_dict/metadata/v4.metadata.json'), io)

const texts = (batches: readonly RecordBatch[], name: string) =>
  batches.flatMap((batch) => [...(batch.getChild(name) ?? [])] as (string | null)[])
const column = (batch: RecordBatch, name: string) => batch.getChild(name)!.data[0] as Data
const isDictionary = (batch: RecordBatch, name: string) => column(batch, name).type instanceof Dictionary
const read = (options: ScanOptions) => scan.toBatches(options)

describe('dictionaries', () => {
  test('hold the same texts, in the same order, however they are read', async () => {
    const plain = await read({})
    expect(texts(plain, 'low').length).toBe(900)
    for (const dictionaries of [true, ['low', 's']]) {
      for (const batchSize of [7, 100, 65_536]) {
        const batches = await read({ dictionaries, batchSize, numWorkers: 2 })
        expect(batches.every((batch) => isDictionary(batch, 'low') && isDictionary(batch, 's'))).toBe(true)
        for (const name of ['low', 's']) expect(texts(batches, name)).toEqual(texts(plain, name))
      }
    }
    const [only] = await read({ dictionaries: ['low'] })
    expect([isDictionary(only!, 'low'), isDictionary(only!, 's')]).toEqual([true, false])
  })

  test('filters see the texts', async () => {
    const [value] = texts(await read({}), 'low').filter((text) => text !== null)
    for (const filter of [
      `low = '${value}'`,
      'low is null',
      `low != '${value}' and id > 10`,
      `s >= 'b' or low > '${value}'`,
    ]) {
      const filtered = scan.filter(filter).select('id', 'low', 's')
      const plain = await filtered.toBatches()
      const batches = await filtered.toBatches({ dictionaries: true, batchSize: 64 })
      expect(texts(batches, 'low')).toEqual(texts(plain, 'low'))
      expect(texts(batches, 's')).toEqual(texts(plain, 's'))
    }
  })

  test('batches of a column chunk share their values', async () => {
    const batches = await read({ dictionaries: ['low'], batchSize: 100 })
    const shared = new Set(batches.map((batch) => column(batch, 'low').dictionary))
    expect(shared.size).toBeLessThan(batches.length / 2)
    for (const values of shared) expect(new Set(values!).size).toBe(values!.length)
  })

  test('metadata columns too: one value for all rows of a file', async () => {
    const reader = await scan.select('id', '_file').toBatchReader({ dictionaries: true })
    for await (const batch of reader) {
      expect(column(batch, '_file').dictionary!.length).toBe(1)
      expect(new Set(texts([batch], '_file')).size).toBe(1)
    }
  })

  test('go through IPC, Parquet, tables and plain rows', async () => {
    const plain = await read({})
    const open = () => scan.toBatchReader({ dictionaries: true, batchSize: 300 })
    expect(texts(tableFromIPC(await (await open()).toIPC()).batches, 's')).toEqual(texts(plain, 's'))
    expect(texts((await (await open()).toTable()).batches, 'low')).toEqual(texts(plain, 'low'))
    const rows: unknown[] = []
    for await (const row of scan.rows({ dictionaries: true })) rows.push(row.s)
    expect(rows).toEqual(texts(plain, 's'))
    const path = join(folder.path, 'texts.parquet')
    expect(await (await open()).writeParquet(path)).toBe(rows.length)
    const projection = [{ id: 3, name: 's', required: false, type: { kind: 'string' } }] as const
    expect(texts(await (await openReader({ tasks: [taskOf(path, projection)], projection })).toBatches(), 's')).toEqual(
      rows,
    )
  })

  test('outlive the batches that were released, and then go', async () => {
    const plain = texts(await read({}), 's')
    const released = async () => {
      const seen: (string | null)[] = []
      for await (const batch of await scan.toBatchReader({ dictionaries: true, batchSize: 50, numWorkers: 2 })) {
        seen.push(...texts([batch], 's'))
        releaseBatch(batch)
      }
      return seen
    }
    expect(await released()).toEqual(plain)
    for (let i = 0; i < 20 && native().memory().live > 0; i++) {
      native().relieve(0)
      await delay(20)
    }
    expect(native().memory().live).toBe(0)
  })

  test('a name that is no column of strings is refused', async () => {
    const refused = (dictionaries: unknown, value: unknown) =>
      expect(read({ dictionaries } as ScanOptions)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        context: { field: 'dictionaries', value },
      })
    await refused(['id'], 'id')
    await refused(['gone'], 'gone')
    await refused('low', 'low')
  })
})
