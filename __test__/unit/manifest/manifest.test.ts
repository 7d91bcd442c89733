import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { type LoadedManifest, ManifestCache } from '../../../ts/iceberg/manifest/cache.js'
import { decodeManifestList, readManifestList } from '../../../ts/iceberg/manifest/list.js'
import { decodeManifest, readManifest } from '../../../ts/iceberg/manifest/read.js'
import type { ContentFile, ManifestFile } from '../../../ts/iceberg/manifest/types.js'
import { loadTableMetadata } from '../../../ts/iceberg/metadata/load.js'
import { parseTableMetadata } from '../../../ts/iceberg/metadata/parse.js'
import { avroFile } from '../avro/write.js'
import { failure } from '../failure.js'
import { FIXTURES, fixtureIo, tables } from '../metadata/fixtures.js'

const PATH = 'file:/t/metadata/m0.avro'

function table(partition: object[] = [], version = 2) {
  const json = {
    'format-version': version,
    'table-uuid': 'u',
    location: 'file:/t',
    'last-sequence-number': 9,
    'last-updated-ms': 1,
    'last-column-id': 4,
    schemas: [
      {
        type: 'struct',
        'schema-id': 0,
        fields: [
          { id: 1, name: 'a', required: false, type: 'long' },
          { id: 2, name: 'fx', required: false, type: 'fixed[2]' },
          { id: 3, name: 'd', required: false, type: 'timestamp' },
          { id: 4, name: 'dec', required: false, type: 'decimal(9, 2)' },
        ],
      },
    ],
    'current-schema-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: partition }],
    'default-spec-id': 0,
    'sort-orders': [],
    'default-sort-order-id': 0,
    'next-row-id': 0,
  }
  return parseTableMetadata(Buffer.from(JSON.stringify(json)), 'file:/t/metadata/v1.metadata.json')
}

const MANIFEST: ManifestFile = {
  path: PATH,
  length: 0n,
  specId: 0,
  content: 'data',
  sequenceNumber: 5n,
  minSequenceNumber: 0n,
  addedSnapshotId: 77n,
  addedFilesCount: undefined,
  existingFilesCount: undefined,
  deletedFilesCount: undefined,
  addedRowsCount: undefined,
  existingRowsCount: undefined,
  deletedRowsCount: undefined,
  partitions: undefined,
  keyMetadata: undefined,
  firstRowId: undefined,
  embedded: false,
}

interface Written {
  status: number
  snapshot?: bigint
  seq?: bigint
  fileSeq?: bigint
  content?: number
  path?: string
  format?: string
  rows?: bigint
  firstRowId?: bigint
  partition?: object
}

/** A manifest with names of our own: only ids count. */
async function manifest(
  entries: Written[],
  options: { partition?: object[]; metadata?: Record<string, string>; v1?: boolean } = {},
): Promise<Buffer> {
  const nullable = (type: unknown) => ['null', type]
  const file = {
    type: 'record',
    name: 'f',
    fields: [
      ...(options.v1 ? [] : [{ name: 'x134', type: 'int', 'field-id': 134 }]),
      { name: 'x100', type: 'string', 'field-id': 100 },
      { name: 'x101', type: 'string', 'field-id': 101 },
      { name: 'x102', type: { type: 'record', name: 'p', fields: options.partition ?? [] }, 'field-id': 102 },
      { name: 'x103', type: 'long', 'field-id': 103 },
      { name: 'x104', type: 'long', 'field-id': 104 },
      { name: 'x142', type: nullable('long'), 'field-id': 142 },
    ],
  }
  const schema = {
    type: 'record',
    name: 'e',
    fields: [
      { name: 'x0', type: 'int', 'field-id': 0 },
      { name: 'x1', type: nullable('long'), 'field-id': 1 },
      ...(options.v1
        ? []
        : [
            { name: 'x3', type: nullable('long'), 'field-id': 3 },
            { name: 'x4', type: nullable('long'), 'field-id': 4 },
          ]),
      { name: 'x2', type: file, 'field-id': 2 },
    ],
  }
  const records = entries.map((e, i) => ({
    x0: e.status,
    x1: e.snapshot ?? null,
    x3: e.seq ?? null,
    x4: e.fileSeq ?? null,
    x2: {
      x134: e.content ?? 0,
      x100: e.path ?? `file:/t/data/${i}`,
      x101: e.format ?? 'PARQUET',
      x102: e.partition ?? {},
      x103: e.rows ?? 10n,
      x104: 100n,
      x142: e.firstRowId ?? null,
    },
  }))
  return avroFile(schema, records, {
    metadata: options.metadata ?? { 'format-version': '2', content: 'data', 'partition-spec-id': '0' },
  })
}

describe('inheritance', () => {
  it('of sequence numbers: added entries take that of the list, an explicit one stays', async () => {
    const bytes = await manifest([
      { status: 1 },
      { status: 0, seq: 2n, fileSeq: 3n },
      { status: 1, seq: 4n, snapshot: 9n },
      { status: 2, seq: 1n },
    ])
    const { entries } = decodeManifest(bytes, MANIFEST, table(), 'all')
    expect(entries.map((e) => [e.status, e.snapshotId, e.file.dataSequenceNumber, e.file.fileSequenceNumber])).toEqual([
      ['added', 77n, 5n, 5n],
      ['existing', 77n, 2n, 3n],
      ['added', 9n, 4n, 5n],
      ['deleted', 77n, 1n, undefined],
    ])
  })

  it('of sequence numbers: every entry of a v1 manifest in a later table has 0', async () => {
    const v1 = await manifest([{ status: 0 }, { status: 1 }, { status: 2 }], { v1: true, metadata: {} })
    const { header, entries } = decodeManifest(v1, { ...MANIFEST, sequenceNumber: 0n }, table(), 'all')
    expect(header).toMatchObject({ formatVersion: 1, content: 'data' })
    expect(entries.map((e) => [e.file.dataSequenceNumber, e.file.fileSequenceNumber, e.file.content])).toEqual([
      [0n, 0n, 'data'],
      [0n, 0n, 'data'],
      [0n, 0n, 'data'],
    ])
  })

  it('of sequence numbers: an existing entry without one is corrupt', async () => {
    const bytes = await manifest([{ status: 0, path: 'file:/t/data/lost' }])
    const error = failure(() => decodeManifest(bytes, MANIFEST, table(), 'all'))
    expect(error.code).toBe('CORRUPT_FILE')
    expect(error.message).toContain(PATH)
    expect(error.message).toContain('file:/t/data/lost')
  })

  const live: Written[] = [
    { status: 1, rows: 10n },
    { status: 2, seq: 1n, rows: 1000n },
    { status: 0, seq: 1n, rows: 7n, firstRowId: 3n },
    { status: 0, seq: 1n, rows: 5n },
    { status: 1, rows: 1n },
  ]

  it('of first row ids: live files without one count on, the others do not move it', async () => {
    const bytes = await manifest(live)
    const { entries } = decodeManifest(bytes, { ...MANIFEST, firstRowId: 100n }, table([], 3), 'all')
    expect(entries.map((e) => e.file.firstRowId)).toEqual([100n, undefined, 3n, 110n, 115n])
  })

  it('of first row ids: none where the list has none, nor for delete files', async () => {
    const none = decodeManifest(await manifest(live), MANIFEST, table([], 3), 'all')
    expect(none.entries.map((e) => e.file.firstRowId)).toEqual(Array(5).fill(undefined))
    const deletes = await manifest([{ status: 1, content: 1, firstRowId: 3n }], { metadata: { content: 'deletes' } })
    const list = { ...MANIFEST, content: 'deletes', firstRowId: 100n } as const
    expect(decodeManifest(deletes, list, table([], 3), 'all').entries[0]!.file.firstRowId).toBeUndefined()
  })
})

describe('partition tuples', () => {
  const SPEC = [
    { 'field-id': 1000, name: 'a', transform: 'identity', 'source-id': 1 },
    { 'field-id': 1001, name: 'd', transform: 'identity', 'source-id': 3 },
    { 'field-id': 1002, name: 'dec', transform: 'identity', 'source-id': 4 },
  ]
  const decimal = { type: 'fixed', size: 4, name: 'dec', logicalType: 'decimal', precision: 9, scale: 2 }

  it('go by field id, with the values of promoted types', async () => {
    const bytes = await manifest(
      [{ status: 1, partition: { z: Buffer.from([0xff, 0xff, 0xff, 0x38]), y: -1, x: 7 } }],
      {
        partition: [
          { name: 'z', type: ['null', decimal], 'field-id': 1002 },
          { name: 'y', type: ['null', { type: 'int', logicalType: 'date' }], 'field-id': 1001 },
          { name: 'x', type: ['int', 'null'], 'field-id': 1000 },
        ],
      },
    )
    const { entries, header } = decodeManifest(bytes, MANIFEST, table(SPEC), 'all')
    expect(header.partitionTypes.map((type) => type.kind)).toEqual(['long', 'timestamp', 'decimal'])
    expect(entries[0]!.file.partition).toEqual([7n, -86_400_000_000n, -200n])
  })

  it('go by position without ids, and are null where the writer had no field', async () => {
    const partition = [
      { name: 'q', type: ['null', 'long'] },
      { name: 'r', type: ['null', 'long'] },
    ]
    const bytes = await manifest([{ status: 1, partition: { q: 1n, r: null } }], { partition })
    expect(decodeManifest(bytes, MANIFEST, table(SPEC), 'all').entries[0]!.file.partition).toEqual([1n, null, null])
  })

  it('of a spec that the table has lost are typed by the header', async () => {
    const bytes = await manifest([{ status: 1, partition: { m: 600 } }], {
      partition: [{ name: 'm', type: 'int', 'field-id': 1000 }],
      metadata: {
        content: 'data',
        'partition-spec-id': '8',
        'partition-spec': JSON.stringify([{ 'field-id': 1000, name: 'm', transform: 'month', 'source-id': 1 }]),
        schema: JSON.stringify({ type: 'struct', fields: [{ id: 1, name: 'x', required: true, type: 'date' }] }),
      },
    })
    const { header, entries } = decodeManifest(bytes, { ...MANIFEST, specId: 8 }, table(SPEC), 'all')
    expect([header.specId, header.spec.fields[0]!.name, header.partitionTypes]).toEqual([8, 'm', [{ kind: 'int' }]])
    expect(entries[0]!.file.partition).toEqual([600])
  })

  it('of another type than the spec allows are an error that names manifest and field', async () => {
    const bytes = await manifest([{ status: 1, partition: { a: 'x' } }], {
      partition: [{ name: 'a', type: 'string', 'field-id': 1000 }],
    })
    const error = failure(() => decodeManifest(bytes, MANIFEST, table(SPEC), 'all'))
    expect(error).toMatchObject({ code: 'CORRUPT_FILE', context: { file: PATH, field: 'x2.x102.a' } })
    expect(error.message).toContain(PATH)
  })

  // Those with a length before each value, as Java 1.12 writes them, are the fixture part_identity_fixed.
  it('of type fixed are read as Avro has them', async () => {
    const spec = [{ 'field-id': 1000, name: 'fx', transform: 'identity', 'source-id': 2 }]
    const bytes = await manifest(
      [
        { status: 1, partition: { fx: Buffer.from('ab') } },
        { status: 1, partition: { fx: null } },
      ],
      { partition: [{ name: 'fx', type: ['null', { type: 'fixed', size: 2, name: 'fx2' }], 'field-id': 1000 }] },
    )
    const { entries } = decodeManifest(bytes, MANIFEST, table(spec), 'all')
    expect(entries.map((e) => e.file.partition)).toEqual([[new Uint8Array(Buffer.from('ab'))], [null]])
  })
})

describe('a manifest that contradicts itself or its list', () => {
  it.each([
    ['an unknown status', { status: 3 }, {}, 'CORRUPT_FILE', 'status 3'],
    ['an unknown content', { status: 1, content: 3 }, {}, 'CORRUPT_FILE', 'content 3'],
    ['a delete file among data', { status: 1, content: 1 }, {}, 'CORRUPT_FILE', 'content 1'],
    ['a format that nobody knows', { status: 1, format: 'lance' }, {}, 'UNSUPPORTED', '"lance"'],
    ['another content in its header', { status: 1 }, { content: 'deletes' }, 'CORRUPT_FILE', 'manifest list'],
    ['a header that says nonsense', { status: 1 }, { content: 'x' }, 'CORRUPT_FILE', 'content "x"'],
  ] as [string, Written, Record<string, string>, string, string][])('%s', async (_, entry, metadata, code, part) => {
    const bytes = await manifest([entry], { metadata })
    const error = failure(() => decodeManifest(bytes, MANIFEST, table(), 'all'))
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(part)])
    expect(error.message).toContain(PATH)
  })

  it('an encrypted one is refused by name', async () => {
    const encrypted = { ...MANIFEST, keyMetadata: new Uint8Array([1]) }
    await expect(readManifest(fixtureIo, encrypted, table(), { statsFieldIds: 'all' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining(PATH),
    })
  })
})

async function manyManifests() {
  const file = `${FIXTURES}tables/many_manifests/metadata/v35.metadata.json`
  const metadata = await loadTableMetadata(fixtureIo, file)
  return { metadata, list: await readManifestList(fixtureIo, metadata.currentSnapshot()!, metadata) }
}

describe('metrics', () => {
  it('are read for the wanted columns only', async () => {
    const { metadata, list } = await manyManifests()
    const all = await readManifest(fixtureIo, list[0]!, metadata, { statsFieldIds: 'all' })
    const one = await readManifest(fixtureIo, list[0]!, metadata, { statsFieldIds: new Set([2]) })
    const none = await readManifest(fixtureIo, list[0]!, metadata, { statsFieldIds: new Set() })
    for (const [i, { file }] of all.entries.entries()) {
      // Value counts of 3 rows in each column, by the reference's plan of this table.
      expect(file.valueCount(2)).toBe(file.recordCount)
      expect(one.entries[i]!.file.valueCount(2)).toBe(file.recordCount)
      expect(one.entries[i]!.file.lowerBound(2)).toEqual(file.lowerBound(2))
      expect(Buffer.from(file.lowerBound(2)!).toString()).toBe(file.partition[1])
      expect(one.entries[i]!.file.valueCount(1)).toBeUndefined()
      expect(none.entries[i]!.file.valueCount(2)).toBeUndefined()
      expect(none.entries[i]!.file.lowerBound(2)).toBeUndefined()
    }
  })

  it('of delete files always hold the bounds of file_path', async () => {
    const file = `${FIXTURES}tables/posdel_file/metadata/v8.metadata.json`
    const metadata = await loadTableMetadata(fixtureIo, file)
    const list = await readManifestList(fixtureIo, metadata.currentSnapshot()!, metadata)
    const deletes = list.filter((entry) => entry.content === 'deletes')
    expect(deletes.length).toBeGreaterThan(0)
    for (const entry of deletes) {
      const { entries } = await readManifest(fixtureIo, entry, metadata, { statsFieldIds: new Set() })
      for (const { file: deleteFile } of entries) {
        expect(Buffer.from(deleteFile.lowerBound(2147483546)!).toString()).toContain(
          'file:/lake/iceberg/posdel_file/data',
        )
      }
    }
  })
})

/** All that a loaded manifest says: its entries are views, which have no properties of their own. */
function printed({ header, entries }: LoadedManifest) {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(entries[0]!.file)) as (keyof ContentFile)[]
  const files = entries.map(({ status, snapshotId, file }) => {
    const values = names.map((name) => [name, typeof file[name] === 'function' ? undefined : file[name]])
    return { status, snapshotId, ...Object.fromEntries(values) }
  })
  return { header, files }
}

describe('ManifestCache', () => {
  it('gives what reading gives, and reads no file twice', async () => {
    const { metadata, list } = await manyManifests()
    let reads = 0
    const io = Object.create(fixtureIo, {
      read: {
        value: (...args: Parameters<typeof fixtureIo.read>) => {
          reads++
          return fixtureIo.read(...args)
        },
      },
    }) as typeof fixtureIo
    const cache = new ManifestCache()
    const options = { statsFieldIds: new Set([1]), cache }
    const plain = await Promise.all(
      list.map((m) => readManifest(fixtureIo, m, metadata, { statsFieldIds: new Set([1]) })),
    )
    for (let round = 0; round < 2; round++) {
      const cached = await Promise.all(list.map((m) => readManifest(io, m, metadata, options)))
      expect(cached.map(printed)).toEqual(plain.map(printed))
    }
    expect(reads).toBe(list.length)
    // Other metrics, another inheritance: another result.
    await readManifest(io, list[0]!, metadata, { statsFieldIds: new Set([2]), cache })
    const later = await readManifest(io, { ...list[0]!, sequenceNumber: 99n }, metadata, options)
    expect(later.entries[0]!.file.dataSequenceNumber).toBe(99n)
    expect(reads).toBe(list.length + 2)
  })

  it('stays within its bytes, dropping what was not used for longest', () => {
    const cache = new ManifestCache({ maxBytes: 30 })
    const loaded = {} as LoadedManifest
    for (const key of ['a', 'b', 'c']) cache.set(key, loaded, 10)
    expect(cache.get('a')).toBe(loaded)
    cache.set('d', loaded, 10)
    expect([cache.get('a'), cache.get('b'), cache.bytes, cache.size]).toEqual([loaded, undefined, 30, 3])
    cache.set('huge', loaded, 31)
    expect([cache.get('huge'), cache.size]).toEqual([undefined, 3])
    cache.set('d', loaded, 25)
    expect(cache.bytes).toBeLessThanOrEqual(30)
    cache.clear()
    expect([cache.bytes, cache.size]).toEqual([0, 0])
  })
})

describe('cancelling', () => {
  it('rejects with CANCELLED', async () => {
    const { metadata, list } = await manyManifests()
    const signal = AbortSignal.abort()
    await expect(readManifest(fixtureIo, list[0]!, metadata, { statsFieldIds: 'all', signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    await expect(readManifestList(fixtureIo, metadata.currentSnapshot()!, metadata, { signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('bits flipped and bytes cut', () => {
  it('never give anything but a LakefoldError that names the file', async () => {
    const samples: { bytes: Buffer; decode: (bytes: Uint8Array) => unknown }[] = []
    for (const name of tables.filter((_, i) => i % 6 === 0)) {
      const { metadata: file } = (
        JSON.parse(readFileSync(`${FIXTURES}cases/${name}.json`, 'utf8')) as { metadata: string }[]
      )[0]!
      const metadata = await loadTableMetadata(fixtureIo, FIXTURES + file)
      const snapshot = metadata.currentSnapshot()
      if (snapshot?.manifestList === undefined) continue
      const list = readFileSync(fixtureIo.resolve(snapshot.manifestList))
      samples.push({ bytes: list, decode: (bytes) => decodeManifestList(bytes, PATH) })
      const first = decodeManifestList(list, PATH)[0]
      if (first === undefined) continue
      samples.push({
        bytes: readFileSync(fixtureIo.resolve(first.path)),
        decode: (bytes) => decodeManifest(bytes, { ...first, path: PATH }, metadata, 'all'),
      })
    }
    expect(samples.length).toBeGreaterThan(12)
    fc.assert(
      fc.property(
        fc.nat(samples.length - 1),
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (n, bits, cut) => {
          const bytes = Buffer.from(samples[n]!.bytes)
          for (const bit of bits) bytes[(bit >> 3) % bytes.length]! ^= 1 << (bit & 7)
          const start = performance.now()
          try {
            samples[n]!.decode(cut ? bytes.subarray(0, (bits[0]! >> 3) % bytes.length) : bytes)
          } catch (error) {
            if (!LakefoldError.is(error)) throw error
            expect(error.message).toContain(PATH)
          }
          expect(performance.now() - start).toBeLessThan(5000)
        },
      ),
      { numRuns: 1500 },
    )
  })
})
