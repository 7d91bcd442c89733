import { describe, expect, it } from 'vitest'
import type { ContentFile } from '../../../ts/iceberg/manifest/types.js'
import { DeleteIndex } from '../../../ts/iceberg/plan/delete-index.js'
import type { PartitionSpec } from '../../../ts/types/partition.js'
import { Schema } from '../../../ts/types/schema.js'
import { failure } from '../failure.js'
import { file, metrics } from './files.js'

const identity = { fieldId: 1000, name: 'p', sourceIds: [2], transform: { kind: 'identity' } } as const
const specs = new Map<number, PartitionSpec>([
  [0, { specId: 0, fields: [] }],
  [1, { specId: 1, fields: [identity] }],
  [3, { specId: 3, fields: [{ ...identity, fieldId: 1001 }] }],
  [2, { specId: 2, fields: [{ ...identity, transform: { kind: 'void' } }] }],
])
const schema = new Schema({
  schemaId: 0,
  fields: [
    { id: 1, name: 'id', required: false, type: { kind: 'long' } },
    { id: 2, name: 'p', required: false, type: { kind: 'int' } },
    { id: 3, name: 'd', required: false, type: { kind: 'double' } },
    { id: 4, name: 'req', required: true, type: { kind: 'int' } },
  ],
})
const index = (files: ContentFile[]) => new DeleteIndex({ specs, keyColumns: (id) => schema.findColumn(id) }, files)
const found = (deletes: ContentFile[], data: ContentFile) =>
  index(deletes)
    .forDataFile(data)
    .map(({ path }) => path)

const data = (given: Partial<ContentFile> = {}) =>
  file({ path: 'data', specId: 1, partition: [7], dataSequenceNumber: 5n, ...given })
const positions = (path: string, sequence: bigint, given: Partial<ContentFile> = {}) =>
  file({ path, content: 'position-deletes', specId: 1, partition: [7], dataSequenceNumber: sequence, ...given })
const equality = (path: string, sequence: bigint, given: Partial<ContentFile> = {}) =>
  file({
    path,
    content: 'equality-deletes',
    equalityIds: [1],
    specId: 1,
    partition: [7],
    dataSequenceNumber: sequence,
    ...given,
  })
const vector = (given: Partial<ContentFile> = {}) =>
  positions('dv', 6n, {
    format: 'puffin',
    referencedDataFile: 'data',
    contentOffset: 4n,
    contentSizeInBytes: 40n,
    ...given,
  })

describe('sequence numbers', () => {
  it('position deletes apply to data of the same or an older sequence number', () => {
    expect(found([positions('old', 4n), positions('same', 5n), positions('new', 6n)], data())).toEqual(['same', 'new'])
  })

  it('equality deletes apply to strictly older data', () => {
    expect(found([equality('old', 4n), equality('same', 5n), equality('new', 6n)], data())).toEqual(['new'])
  })

  it('come out ascending whatever order they went in', () => {
    const files = [9n, 6n, 8n, 7n].map((sequence) => positions(`p${sequence}`, sequence))
    expect(found(files, data())).toEqual(['p6', 'p7', 'p8', 'p9'])
  })
})

describe('partitions', () => {
  it('deletes apply in their own partition of their own spec only', () => {
    expect(found([positions('here', 6n), positions('there', 6n, { partition: [8] })], data())).toEqual(['here'])
    expect(found([equality('other spec', 6n, { specId: 3 })], data())).toEqual([])
    expect(found([positions('null', 6n, { partition: [null] })], data({ partition: [null] }))).toEqual(['null'])
  })

  it.each([
    ['a number and the same value after promotion', 7, 7n, true],
    ['null and the text null', null, 'n', false],
    ['NaN and NaN', Number.NaN, Number.NaN, true],
    ['zero and negative zero', 0, -0, false],
    ['equal bytes', Uint8Array.of(1, 2), Uint8Array.of(1, 2), true],
    ['a text and a longer one', 'a', 'a|n', false],
  ])('compares %s', (_, a, b, equal) => {
    expect(found([positions('d', 6n, { partition: [a] })], data({ partition: [b] }))).toEqual(equal ? ['d'] : [])
  })

  it('equality deletes of a spec without fields, or with void ones, apply everywhere', () => {
    const files = [
      equality('none', 6n, { specId: 0, partition: [] }),
      equality('void', 7n, { specId: 2, partition: [null] }),
    ]
    expect(found(files, data())).toEqual(['none', 'void'])
  })

  it('position deletes of a spec without fields apply to files of that spec only', () => {
    expect(found([positions('d', 6n, { specId: 0, partition: [] })], data())).toEqual([])
  })
})

describe('deletes of one file', () => {
  it('are found by the referenced file, or by equal bounds of file_path', () => {
    const bound = new TextEncoder().encode('data')
    const bounds = metrics(2147483546, { lower: bound, upper: bound })
    const other = metrics(2147483546, { lower: bound, upper: new TextEncoder().encode('datb') })
    const files = [
      positions('referenced', 6n, { referencedDataFile: 'data' }),
      positions('bounds', 7n, bounds),
      positions('partition', 8n, other),
      positions('another', 6n, { referencedDataFile: 'data2' }),
    ]
    expect(found(files, data())).toEqual(['partition', 'referenced', 'bounds'])
  })

  it('of another partition are an error', () => {
    const deletes = positions('d', 6n, { referencedDataFile: 'data', partition: [8] })
    const error = failure(() => found([deletes], data()))
    expect([error.code, error.context.file, error.context.dataFile]).toEqual(['CORRUPT_FILE', 'd', 'data'])
    expect(found([deletes], data({ dataSequenceNumber: 7n }))).toEqual([])
  })
})

describe('deletion vectors', () => {
  it('replace position deletes, not equality deletes', () => {
    const files = [
      positions('p', 6n),
      equality('global', 6n, { specId: 0, partition: [] }),
      equality('e', 6n),
      vector(),
    ]
    expect(found(files, data())).toEqual(['global', 'e', 'dv'])
  })

  it('of one Puffin file go each to their own data file', () => {
    const files = [vector(), vector({ referencedDataFile: 'data2', contentOffset: 44n })]
    expect(index(files).forDataFile(data({ path: 'data2' }))[0]?.contentOffset).toBe(44n)
    expect(index(files).forDataFile(data())[0]?.contentOffset).toBe(4n)
  })

  it.each([
    ['older than the file', [vector({ dataSequenceNumber: 4n })]],
    ['of another partition', [vector({ partition: [8] })]],
    ['of another spec', [vector({ specId: 0, partition: [] })]],
    ['two of one file', [vector(), vector({ path: 'dv2' })]],
    ['without a data file', [vector({ referencedDataFile: undefined })]],
    ['without an offset', [vector({ contentOffset: undefined })]],
    ['without a size', [vector({ contentSizeInBytes: undefined })]],
  ])('%s: refused as corrupt', (_, files) => {
    const error = failure(() => found(files, data()))
    expect(error.code).toBe('CORRUPT_FILE')
    expect(String(error.context.file)).toMatch(/^dv/)
  })
})

describe('equality keys', () => {
  const int64 = (value: bigint) => new Uint8Array(new BigInt64Array([value]).buffer)
  const float64 = (value: number) => new Uint8Array(new Float64Array([value]).buffer)
  const attaches = (key: number, of: Parameters<typeof metrics>[1], deletes: Parameters<typeof metrics>[1]) =>
    found([equality('e', 6n, { equalityIds: [key], ...metrics(key, deletes) })], data(metrics(key, of))).length === 1
  const known = { values: 10n, nulls: 0n }

  it('that cannot be equal keep a delete away', () => {
    const of = (from: bigint, to: bigint) => ({ ...known, lower: int64(from), upper: int64(to) })
    expect(attaches(1, of(1n, 5n), of(6n, 9n))).toBe(false)
    expect(attaches(1, of(1n, 6n), of(6n, 9n))).toBe(true)
    expect(attaches(1, { values: 10n, nulls: 10n }, known)).toBe(false)
    expect(attaches(1, known, { values: 3n, nulls: 3n })).toBe(false)
  })

  it('with nulls on both sides, or unknown statistics, attach', () => {
    const nulls = (from: bigint, to: bigint) => ({ values: 10n, nulls: 1n, lower: int64(from), upper: int64(to) })
    expect(attaches(1, nulls(1n, 5n), nulls(6n, 9n))).toBe(true)
    expect(attaches(1, {}, { ...known, lower: int64(6n), upper: int64(9n) })).toBe(true)
    expect(
      attaches(1, { ...known, lower: int64(9n), upper: int64(1n) }, { ...known, lower: int64(20n), upper: int64(30n) }),
    ).toBe(true)
  })

  it('with NaN on both sides attach, whatever their ranges', () => {
    const of = (value: number, nans: bigint | undefined) => ({
      ...known,
      nans,
      lower: float64(value),
      upper: float64(value),
    })
    expect(attaches(3, of(1, 1n), of(2, 1n))).toBe(true)
    expect(attaches(3, of(1, undefined), of(2, undefined))).toBe(true)
    expect(attaches(3, of(1, 0n), of(2, 1n))).toBe(false)
    expect(attaches(3, of(-0, 0n), of(0, 0n))).toBe(false)
  })

  it('compare bounds written before a promotion by value', () => {
    const int32 = new Uint8Array(new Int32Array([5]).buffer)
    expect(
      attaches(1, { ...known, lower: int32, upper: int32 }, { ...known, lower: int64(5n), upper: int64(5n) }),
    ).toBe(true)
    expect(
      attaches(1, { ...known, lower: int32, upper: int32 }, { ...known, lower: int64(6n), upper: int64(6n) }),
    ).toBe(false)
  })

  it('that no schema has still attach; a file without a key is refused', () => {
    expect(attaches(99, known, known)).toBe(true)
    expect(failure(() => index([equality('e', 6n, { equalityIds: [] })])).context.field).toBe('equality_ids')
    expect(failure(() => index([equality('e', 6n, { specId: 9 })])).context.field).toBe('spec_id')
  })
})
