import { describe, expect, test } from 'vitest'
import { AvroContainer } from '../../../ts/avro/container.js'
import type { FileIO } from '../../../ts/io/file-io.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import type { EntryFilter } from '../../../ts/paimon/metadata/manifest-entry.js'
import { avroFile, type WriteOptions } from '../avro/write.js'
import { failure } from './fixtures.js'

/** Manifests written by avsc. `nullable`: records in unions with null, as 0.8 wrote them. */
function schemaOf({ nullable = false, level = 'int', without = '' } = {}) {
  const record = (name: string, fields: object[]) => {
    const type = { type: 'record', name, fields }
    return nullable ? ['null', type] : type
  }
  const stats = record('stats', [
    { name: '_MIN_VALUES', type: 'bytes' },
    { name: '_MAX_VALUES', type: 'bytes' },
    { name: '_NULL_COUNTS', type: ['null', { type: 'array', items: ['null', 'long'] }] },
  ])
  const again = nullable ? ['null', 'stats'] : 'stats'
  const file = [
    { name: '_FILE_NAME', type: 'string' },
    { name: '_FILE_SIZE', type: 'long' },
    { name: '_ROW_COUNT', type: 'long' },
    { name: '_MIN_KEY', type: 'bytes' },
    { name: '_MAX_KEY', type: 'bytes' },
    { name: '_KEY_STATS', type: stats },
    { name: '_VALUE_STATS', type: again },
    { name: '_MIN_SEQUENCE_NUMBER', type: 'long' },
    { name: '_MAX_SEQUENCE_NUMBER', type: 'long' },
    { name: '_SCHEMA_ID', type: 'long' },
    { name: '_LEVEL', type: level },
    { name: '_EXTRA_FILES', type: { type: 'array', items: 'string' } },
    { name: '_FILE_SOURCE', type: ['null', 'int'] },
    { name: '_VALUE_STATS_COLS', type: ['null', { type: 'array', items: 'string' }] },
    { name: '_OF_THE_FUTURE', type: ['null', { type: 'map', values: 'string' }] },
  ]
  return {
    type: 'record',
    name: 'entry',
    fields: [
      { name: '_VERSION', type: 'int' },
      { name: '_KIND', type: 'int' },
      { name: '_PARTITION', type: 'bytes' },
      { name: '_BUCKET', type: 'int' },
      { name: '_TOTAL_BUCKETS', type: 'int' },
      {
        name: '_FILE',
        type: record(
          'file',
          file.filter(({ name }) => name !== without),
        ),
      },
    ],
  }
}

function entryOf(i: number, more: object = {}) {
  const stats = {
    _MIN_VALUES: Buffer.from([i & 255]),
    _MAX_VALUES: Buffer.from([i & 255, 1]),
    _NULL_COUNTS: [BigInt(i), null],
  }
  const file = {
    _FILE_NAME: `data-${(i * 2654435761).toString(36)}-${i}.parquet`,
    _FILE_SIZE: BigInt(i) << 40n,
    _ROW_COUNT: 7n,
    _MIN_KEY: Buffer.from('min'),
    _MAX_KEY: Buffer.from('max'),
    _KEY_STATS: stats,
    _VALUE_STATS: stats,
    _MIN_SEQUENCE_NUMBER: 0n,
    _MAX_SEQUENCE_NUMBER: 9007199254740993n,
    _SCHEMA_ID: 1n,
    _LEVEL: i % 3,
    _EXTRA_FILES: i % 2 === 0 ? [] : [`${i}.index`],
    _FILE_SOURCE: 1,
    _VALUE_STATS_COLS: i % 2 === 0 ? null : ['a', 'ß'],
    _OF_THE_FUTURE: { a: 'b' },
    ...more,
  }
  return {
    _VERSION: 2,
    _KIND: i % 5 === 0 ? 1 : 0,
    _PARTITION: Buffer.from(`p${i % 4}`),
    _BUCKET: i % 128,
    _TOTAL_BUCKETS: 128,
    _FILE: file,
  }
}

const sourceOf = (bytes: Uint8Array) => ({ io: { read: async () => bytes } as unknown as FileIO })

async function read(schema: object, records: readonly unknown[], filter?: EntryFilter, options?: WriteOptions) {
  return readManifest(sourceOf(await avroFile(schema, records, options)), 'manifest-7', filter)
}

describe('manifests of several parts', () => {
  const count = 9000
  const records = Array.from({ length: count }, (_, i) => entryOf(i))
  const names = (read: { entries: readonly { file: { fileName: string } }[] }) =>
    read.entries.map(({ file }) => file.fileName)
  const expected = (wanted: (i: number) => boolean) =>
    records.filter((_, i) => wanted(i)).map(({ _FILE }) => (_FILE as { _FILE_NAME: string })._FILE_NAME)

  for (const codec of ['null', 'deflate']) {
    test(`${codec}: what a filter lets through, in order`, async () => {
      const bytes = await avroFile(schemaOf(), records, { codec, blockSize: 4096 })
      const parts = new AvroContainer(bytes, 'x').parts(16 * 1024)
      expect(parts.length).toBeGreaterThan(4)
      const { all } = new AvroContainer(bytes, 'x')
      expect(Buffer.concat(parts.map((part) => part.bytes)).equals(all.bytes)).toBe(true)
      for (const { bytes: part, offset } of parts) {
        expect(bytes.subarray(offset, offset + part.length).equals(part)).toBe(true)
      }
      const source = sourceOf(bytes)
      const whole = await readManifest(source, 'm')
      expect([whole.seen, whole.decoded]).toEqual([count, count])
      expect(names(whole)).toEqual(expected(() => true))
      const few = await readManifest(source, 'm', { head: ({ bucket }) => bucket === 77 })
      expect([few.seen, few.decoded]).toEqual([count, expected((i) => i % 128 === 77).length])
      expect(names(few)).toEqual(expected((i) => i % 128 === 77))
      const many = await readManifest(source, 'm', {
        head: ({ kind, partition }) => kind === 'ADD' && Buffer.from(partition).toString() !== 'p1',
        level: (level) => level > 0,
        entry: ({ file }) => file.extraFiles.length > 0,
      })
      expect(many.decoded).toBe(expected((i) => i % 5 !== 0 && i % 4 !== 1 && i % 3 > 0).length)
      expect(names(many)).toEqual(expected((i) => i % 5 !== 0 && i % 4 !== 1 && i % 3 > 0 && i % 2 === 1))
      expect(names(await readManifest(source, 'm', { head: () => false }))).toEqual([])
    })
  }

  test('an abort stops it between two parts', async () => {
    const bytes = await avroFile(schemaOf(), records, { blockSize: 4096 })
    const stop = new AbortController()
    let seen = 0
    const head = () => {
      if (++seen === 10) stop.abort()
      return true
    }
    const error = await failure(() => readManifest({ ...sourceOf(bytes), signal: stop.signal }, 'm', { head }))
    expect(error.code).toBe('CANCELLED')
    expect(seen).toBeLessThan(count / 2)
  })
})

test('members of entries are what was written; fields that the writer lacks are undefined', async () => {
  for (const nullable of [false, true]) {
    const { entries } = await read(schemaOf({ nullable, level: 'long' }), [entryOf(3, { _LEVEL: 1n })])
    expect(JSON.parse(JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))).toEqual(
      [
        {
          kind: 'ADD',
          partition: { 0: 112, 1: 51 },
          bucket: 3,
          totalBuckets: 128,
          file: {
            fileName: `data-${(3 * 2654435761).toString(36)}-3.parquet`,
            fileSize: '3298534883328',
            rowCount: '7',
            minKey: { 0: 109, 1: 105, 2: 110 },
            maxKey: { 0: 109, 1: 97, 2: 120 },
            keyStats: { minValues: { 0: 3 }, maxValues: { 0: 3, 1: 1 }, nullCounts: ['3', null] },
            valueStats: { minValues: { 0: 3 }, maxValues: { 0: 3, 1: 1 }, nullCounts: ['3', null] },
            minSequenceNumber: '0',
            maxSequenceNumber: '9007199254740993',
            schemaId: 1,
            level: 1,
            extraFiles: ['3.index'],
            fileSource: 'COMPACT',
            valueStatsCols: ['a', 'ß'],
          },
        },
      ],
    )
  }
})

describe('what an entry must not be is told by file, field and value', () => {
  const sound = { level: () => true }
  const cases: [said: RegExp, code: string, schema: object, record: object][] = [
    [/_VERSION is 3/, 'UNSUPPORTED', schemaOf(), { ...entryOf(1), _VERSION: 3 }],
    [/_KIND is 9/, 'CORRUPT_FILE', schemaOf(), { ...entryOf(1), _KIND: 9 }],
    [/_FILE\._SCHEMA_ID is -1/, 'CORRUPT_FILE', schemaOf(), entryOf(1, { _SCHEMA_ID: -1n })],
    [/_FILE\._FILE_SOURCE is 4/, 'CORRUPT_FILE', schemaOf(), entryOf(1, { _FILE_SOURCE: 4 })],
    [/_FILE is null/, 'CORRUPT_FILE', schemaOf({ nullable: true }), { ...entryOf(1), _FILE: null }],
    [/_FILE\._VALUE_STATS is null/, 'CORRUPT_FILE', schemaOf({ nullable: true }), entryOf(1, { _VALUE_STATS: null })],
    [/_FILE lacks the field _MIN_KEY/, 'CORRUPT_FILE', schemaOf({ without: '_MIN_KEY' }), entryOf(1)],
    [/_FILE\._LEVEL must be an int/, 'CORRUPT_FILE', schemaOf({ level: 'string' }), entryOf(1, { _LEVEL: 'x' })],
    [/32 bits/, 'CORRUPT_FILE', schemaOf({ level: 'long' }), entryOf(1, { _LEVEL: 1n << 40n })],
  ]
  for (const [said, code, schema, record] of cases) {
    test(String(said), async () => {
      for (const filter of [{}, sound]) {
        const error = await failure(() => read(schema, [record], filter))
        expect([error.code, error.context.file]).toEqual([code, 'manifest-7'])
        expect(error.message).toMatch(said)
      }
    })
  }
})
