import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ScanContextBuilder, TableRead, TableScan } from '../../../ts/paimon/index.js'
import { blobRuns } from '../../../ts/paimon/plan/blob-runs.js'
import { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { readRows } from '../../../ts/reader/rows.js'
import { WAREHOUSE } from './fixtures.js'

type Row = Readonly<Record<string, unknown>>

async function read(
  location: string,
  columns: readonly string[],
  edit: (builder: ScanContextBuilder) => ScanContextBuilder = (builder) => builder,
): Promise<Row[]> {
  const scan = await TableScan.create(edit(new ScanContextBuilder(location)).finish())
  const reader = (await TableRead.create(scan, { columns })).toBatchReader(await scan.createPlan())
  const rows: Row[] = []
  for await (const row of readRows(reader)) rows.push(row)
  return rows
}

const sizeOf = (value: unknown) => (value === null ? null : (value as Uint8Array).length)

test('a blob column gives the bytes, or where they lie', async () => {
  const location = join(WAREHOUSE, 'blob_table')
  const rows = await read(location, ['data'])
  expect(rows.map(({ data }) => sizeOf(data))).toEqual([0, 100, 200, 300, 400, 500])
  const told = await read(location, ['data'], (builder) => builder.addOption('blob-as-descriptor', 'true'))
  const bytes = Buffer.from(told[1]?.data as Uint8Array)
  const length = bytes.readInt32LE(9)
  expect(bytes.subarray(13, 13 + length).toString()).toMatch(/blob_table\/bucket-0\/.*\.blob$/)
  expect([bytes.readBigInt64LE(13 + length), bytes.readBigInt64LE(21 + length)]).toEqual([20n, 100n])
})

/** Written by the reference: two columns in eleven files of some 300 bytes, two commits. What it reads is spelled by `expected`. */
const MANY = fileURLToPath(new URL('../../fixtures/traps/paimon_blob_files', import.meta.url))
const expected = (n: number) => [n, n % 5 === 3 ? null : n * 3, n % 7 === 0 ? null : `b${n}`]
const spelled = ({ id, a, b }: Row) => [id, sizeOf(a), b === null ? null : Buffer.from(b as Uint8Array).toString()]

test('blob columns in several files each keep to their rows', async () => {
  const rows = await read(MANY, ['id', 'a', 'b'])
  expect(rows.map(spelled)).toEqual(Array.from({ length: 40 }, (_, n) => expected(n)))
  expect((await read(MANY, ['a'])).map(({ a }) => sizeOf(a))).toEqual(rows.map(({ a }) => sizeOf(a)))
})

test('ranges of row ids and filters pick rows whose blobs lie in files of their own', async () => {
  const ranges = (builder: ScanContextBuilder) =>
    builder.setGlobalIndexResult({
      rowRanges: [
        [8, 9],
        [33, 33],
      ],
    })
  expect((await read(MANY, ['id', 'a', 'b'], ranges)).map(spelled)).toEqual([8, 9, 33].map(expected))
  const filter = (builder: ScanContextBuilder) => builder.setPredicate('id in (3, 30)')
  expect((await read(MANY, ['id', 'a', 'b'], filter)).map(spelled)).toEqual([3, 30].map(expected))
})

test('blob files that leave rows out are an error that names one', () => {
  const file = (fileName: string, first: number, rows: number, sequence = 1) =>
    ({ fileName, firstRowId: BigInt(first), rowCount: BigInt(rows), maxSequenceNumber: BigInt(sequence) }) as never
  const runs = (files: readonly never[], mayMiss = false) => {
    const group = {
      anchor: file('anchor', 10, 10),
      columnOf: () => 1,
      pathOf: ({ fileName }: Row) => `${fileName}`,
      mayMiss,
    }
    return blobRuns(files, group as never)
      .get(1)
      ?.map(({ fileName }) => fileName)
  }
  expect(runs([file('b', 15, 5), file('a', 10, 5)])).toEqual(['a', 'b'])
  // Of files of the same rows the newest counts.
  expect(runs([file('old', 10, 10, 1), file('new', 10, 10, 2)])).toEqual(['new'])
  expect(runs([file('new', 10, 10, 2), file('old', 12, 3, 1)])).toEqual(['new'])
  expect(() => runs([file('old', 10, 10, 1), file('new', 12, 3, 2)])).toThrow(/new: .* older/)
  expect(() => runs([file('a', 10, 5), file('b', 16, 4)])).toThrow(/b: .* row id 15/)
  expect(() => runs([file('a', 11, 9)])).toThrow(/a: .* row id 10/)
  expect(() => runs([file('a', 10, 9)])).toThrow(/a: .* row id 19/)
  expect(runs([file('b', 16, 2)], true)).toEqual(['b'])
  expect(() => runs([file('b', 16, 5)], true)).toThrow(/b: .* row id 19/)
})

test('files of vectors alone are refused by name', async () => {
  const scan = await TableScan.create(new ScanContextBuilder(join(WAREHOUSE, 'data_evolution')).finish())
  const { splits } = await scan.createPlan()
  const split = splits[0] as DataSplit
  const [first, ...more] = split.dataFiles
  const store = Object.create(first as object, {
    fileName: { value: 'data-1.vector.parquet' },
  }) as DataSplit['dataFiles'][0]
  const changed = new DataSplit({ ...split, dataFiles: [store, ...more], rowRanges: undefined })
  const reader = (await TableRead.create(scan)).toBatchReader(changed)
  await expect(reader.toTable()).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('data-1.vector.parquet'),
  })
})
