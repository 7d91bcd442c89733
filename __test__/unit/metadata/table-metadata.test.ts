import { readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { parseJson } from '../../../ts/base/json.js'
import { parseTableMetadata } from '../../../ts/iceberg/metadata/parse.js'
import { failure } from '../failure.js'
import { damaged, FIXTURES, metadataFiles, tables } from './fixtures.js'

const FILE = 'file:/t/metadata/v1.metadata.json'

function text(file: string): string {
  const bytes = readFileSync(file)
  return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()
}

const V1 = {
  'format-version': 1,
  location: 'file:/t',
  'last-updated-ms': 1,
  'last-column-id': 3,
  schema: {
    type: 'struct',
    fields: [
      { id: 1, name: 'a', required: true, type: 'long' },
      { id: 2, name: 'd', required: false, type: 'date' },
    ],
  },
  'partition-spec': [
    { name: 'a', transform: 'identity', 'source-id': 1 },
    { name: 'd_day', transform: 'DAY', 'source-id': 2 },
  ],
}
const V2 = {
  'format-version': 2,
  'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1',
  location: 'file:/t',
  'last-sequence-number': 1,
  'last-updated-ms': 1,
  'last-column-id': 2,
  schemas: [{ ...V1.schema, 'schema-id': 0 }],
  'current-schema-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  'last-partition-id': 999,
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
}
const SNAPSHOT = {
  'snapshot-id': 7,
  'timestamp-ms': 5,
  'manifest-list': 'file:/t/l.avro',
  summary: { operation: 'append' },
}

function parse(json: object | string) {
  return parseTableMetadata(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), FILE)
}

describe('every metadata file of the fixtures', () => {
  it.each(tables)('%s is read, and written back without loss', (table) => {
    const files = metadataFiles(table)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const metadata = parseTableMetadata(readFileSync(file), file)
      expect(parseJson(metadata.toJson())).toEqual(parseJson(text(file)))
      // The writers' text is the same but for blanks, except where it spells a character or number in another way.
      const raw = JSON.parse(text(file)) as {
        snapshots?: unknown[]
        schemas?: unknown[]
        'partition-specs'?: unknown[]
      }
      expect(metadata.snapshots.length).toBe(raw.snapshots?.length ?? 0)
      expect(metadata.schemas.length).toBe(raw.schemas?.length ?? 1)
      expect(metadata.specs.length).toBe(raw['partition-specs']?.length ?? 1)
      for (const id of text(file).matchAll(/"(?:parent-)?snapshot-id"\s*:\s*(-?\d+)/g)) {
        expect(metadata.toJson()).toContain(`:${id[1]}`)
      }
    }
  })
})

describe('format version 1', () => {
  it('takes the single schema and spec, and numbers the fields of the spec', () => {
    const metadata = parse(V1)
    expect(metadata.currentSchema().fields.map((field) => field.name)).toEqual(['a', 'd'])
    expect(metadata.specById(0).fields).toEqual([
      { fieldId: 1000, name: 'a', sourceIds: [1], transform: { kind: 'identity' } },
      { fieldId: 1001, name: 'd_day', sourceIds: [2], transform: { kind: 'day' } },
    ])
    expect(metadata).toMatchObject({ tableUuid: undefined, lastSequenceNumber: 0n, nextRowId: undefined })
    expect(metadata.sortOrders).toEqual([{ orderId: 0, fields: [] }])
    expect(metadata.currentSnapshot()).toBeUndefined()
  })

  it('lets the lists win where both forms are there', () => {
    const other = { type: 'struct', 'schema-id': 4, fields: [{ id: 9, name: 'z', required: false, type: 'int' }] }
    const metadata = parse({
      ...V1,
      schemas: [other],
      'current-schema-id': 4,
      'partition-specs': [{ 'spec-id': 3, fields: [] }],
      'default-spec-id': 3,
    })
    expect(metadata.currentSchema().fields[0]!.name).toBe('z')
    expect(metadata.specs.map((spec) => spec.specId)).toEqual([3])
  })

  it('keeps embedded manifests, and gives a snapshot without anything an error', () => {
    const { 'manifest-list': _, ...bare } = SNAPSHOT
    const embedded = parse({ ...V1, 'current-snapshot-id': 7, snapshots: [{ ...bare, manifests: ['file:/t/m.avro'] }] })
    expect(embedded.currentSnapshot()).toMatchObject({ manifests: ['file:/t/m.avro'], manifestList: undefined })
    expect(failure(() => parse({ ...V1, 'current-snapshot-id': 7, snapshots: [bare] })).message).toBe(
      `${FILE}: snapshots[0].manifest-list is missing`,
    )
  })
})

describe('snapshots and refs', () => {
  it.each([-1, null, undefined])('current-snapshot-id %s is none', (id) => {
    const metadata = parse({ ...V2, 'current-snapshot-id': id, snapshots: [SNAPSHOT] })
    expect(metadata.currentSnapshot()).toBeUndefined()
    expect(metadata.refs.size).toBe(0)
  })

  // As Iceberg Java, and as Paimon writes it beside its own tables.
  it('takes refs that lack main', () => {
    const metadata = parse({ ...V2, snapshots: [SNAPSHOT], 'current-snapshot-id': 7, refs: {} })
    expect(metadata.currentSnapshotId).toBe(7n)
    expect(metadata.refs.size).toBe(0)
  })

  it('without refs main is the current snapshot', () => {
    const metadata = parse({ ...V2, 'current-snapshot-id': 7, snapshots: [SNAPSHOT] })
    expect(metadata.refs.get('main')).toMatchObject({ snapshotId: 7n, type: 'branch' })
  })

  it('a summary without operation is an overwrite, no summary is none', () => {
    const { summary, ...plain } = SNAPSHOT
    const metadata = parse({
      ...V2,
      snapshots: [
        { ...SNAPSHOT, summary: { x: '1' } },
        { ...plain, 'snapshot-id': 8 },
      ],
    })
    expect(metadata.snapshots.map((s) => s.operation)).toEqual(['overwrite', undefined])
    expect([...metadata.snapshotById(7n).summary]).toEqual([['x', '1']])
  })

  it('ids beyond 2^53 are exact, and an unknown one is an error that names it', () => {
    const id = '9007199254740993'
    const metadata = parse(
      JSON.stringify({ ...V2, 'current-snapshot-id': 7, snapshots: [SNAPSHOT] }).replaceAll(':7', `:${id}`),
    )
    expect(metadata.currentSnapshot()!.snapshotId).toBe(9007199254740993n)
    expect(failure(() => metadata.snapshotById(9007199254740992n))).toMatchObject({
      code: 'UNKNOWN_SNAPSHOT',
      message: expect.stringContaining('9007199254740992'),
    })
  })
})

describe('partition types', () => {
  it('follow the current schema, or an older one for a column that is gone', () => {
    const metadata = parse({
      ...V2,
      schemas: [
        {
          type: 'struct',
          'schema-id': 0,
          fields: [{ id: 1, name: 'a', required: true, type: 'int' }, V1.schema.fields[1]],
        },
        { type: 'struct', 'schema-id': 1, fields: [{ id: 1, name: 'a', required: true, type: 'long' }] },
      ],
      'current-schema-id': 1,
      'partition-specs': [
        {
          'spec-id': 0,
          fields: [
            { 'field-id': 1001, name: 'd', transform: 'identity', 'source-id': 2 },
            { 'field-id': 1000, name: 'a_old', transform: 'truncate[5]', 'source-id': 1 },
            { 'field-id': 1002, name: 'lost', transform: 'identity', 'source-id': 77 },
          ],
        },
        {
          'spec-id': 1,
          fields: [
            { 'field-id': 1000, name: 'a', transform: 'void', 'source-id': 1 },
            { 'field-id': 1003, name: 'm', transform: 'frobnicate[3]', 'source-id': 1 },
            { 'field-id': 1004, name: 'two', transform: 'bucket[4]', 'source-ids': [1, 2] },
          ],
        },
      ],
    })
    expect(metadata.partitionTypes(metadata.specById(0)).map((type) => type.kind)).toEqual(['date', 'long', 'unknown'])
    expect(metadata.specById(1).fields.map((field) => field.transform.kind)).toEqual(['void', 'unknown', 'unknown'])
    expect(metadata.partitionTypeUnion().fields.map(({ id, name, type }) => [id, name, type.kind])).toEqual([
      [1000, 'a', 'long'],
      [1001, 'd', 'date'],
      [1002, 'lost', 'unknown'],
      [1003, 'm', 'unknown'],
      [1004, 'two', 'unknown'],
    ])
  })
})

describe('name mapping', () => {
  it('is a tree whose entries may have several names, or no id', () => {
    const mapping = JSON.stringify([
      { 'field-id': 1, names: ['a', 'old.a'] },
      { names: ['hidden'] },
      { 'field-id': 2, names: ['l'], fields: [{ 'field-id': 3, names: ['element'] }] },
    ])
    const metadata = parse({ ...V2, properties: { 'schema.name-mapping.default': mapping } })
    expect(metadata.nameMapping()).toEqual([
      { names: ['a', 'old.a'], fieldId: 1, fields: [] },
      { names: ['hidden'], fieldId: undefined, fields: [] },
      { names: ['l'], fieldId: 2, fields: [{ names: ['element'], fieldId: 3, fields: [] }] },
    ])
    expect(parse(V2).nameMapping()).toBeUndefined()
    expect(
      failure(() => parse({ ...V2, properties: { 'schema.name-mapping.default': '[' } }).nameMapping()),
    ).toMatchObject({
      code: 'CORRUPT_FILE',
      message: expect.stringContaining(`${FILE} (property schema.name-mapping.default)`),
    })
  })
})

describe('broken metadata', () => {
  const without = (key: keyof typeof V2) => Object.fromEntries(Object.entries(V2).filter(([k]) => k !== key))
  it.each([
    [without('format-version'), 'format-version is missing'],
    [{ ...V2, 'format-version': 0 }, 'format-version must be 1, 2 or 3, not 0'],
    [without('table-uuid'), 'table-uuid is missing'],
    [without('schemas'), 'schemas is missing'],
    [without('partition-specs'), 'partition-specs is missing'],
    [without('sort-orders'), 'sort-orders is missing'],
    [without('last-sequence-number'), 'last-sequence-number is missing'],
    [{ ...V2, 'format-version': 3 }, 'next-row-id is missing'],
    [{ ...V2, 'current-schema-id': 5 }, 'current-schema-id must be the id of one of the schemas, not 5'],
    [{ ...V2, 'default-spec-id': 5 }, 'default-spec-id must be the id of one of the partition specs, not 5'],
    [{ ...V2, 'current-snapshot-id': 5 }, 'current-snapshot-id must be the id of one of the snapshots, not 5'],
    [
      { ...V2, snapshots: [{ ...SNAPSHOT, 'timestamp-ms': 'x' }] },
      'snapshots[0].timestamp-ms must be a 64-bit integer, not "x"',
    ],
    [
      { ...V2, snapshots: [SNAPSHOT], 'current-snapshot-id': 7, refs: { main: { 'snapshot-id': 8, type: 'branch' } } },
      'refs.main.snapshot-id must be the id of one of the snapshots, not 8',
    ],
    [
      { ...V2, snapshots: [SNAPSHOT], 'current-snapshot-id': 7, refs: { t: { 'snapshot-id': 7, type: 'twig' } } },
      'refs.t.type must be branch or tag, not "twig"',
    ],
  ])('names the file and the field (%#)', (json, message) => {
    expect(failure(() => parse(json))).toMatchObject({ code: 'CORRUPT_FILE', message: `${FILE}: ${message}` })
  })

  it.each(['schemas', 'partition-specs', 'snapshots'])(
    'with two of one id in %s is CORRUPT_FILE: nobody knows which is meant',
    (field) => {
      const snapshot = { 'snapshot-id': 7, 'timestamp-ms': 1, 'manifest-list': 'file:/t/l.avro', 'sequence-number': 1 }
      const whole: Record<string, unknown> = { ...V2, snapshots: [snapshot] }
      const list = whole[field] as unknown[]
      const parse = (json: unknown) => parseTableMetadata(Buffer.from(JSON.stringify(json)), FILE)
      expect(() => parse(whole)).not.toThrow()
      expect(() => parse({ ...whole, [field]: [...list, list[0]] })).toThrowError(
        expect.objectContaining({ code: 'CORRUPT_FILE', context: expect.objectContaining({ file: FILE, field }) }),
      )
    },
  )

  it('of a later format version is UNSUPPORTED', () => {
    expect(failure(() => parse({ ...V2, 'format-version': 4 }))).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining(`${FILE}: format version 4`),
    })
  })

  it('with an unknown type fails only where that schema is used', () => {
    const odd = { type: 'struct', 'schema-id': 9, fields: [{ id: 1, name: 'q', required: false, type: 'quaternion' }] }
    const metadata = parse({ ...V2, schemas: [...V2.schemas, odd] })
    expect(metadata.schemas.map((schema) => schema.schemaId)).toEqual([0])
    const error = failure(() => metadata.schemaById(9))
    expect(error.code).toBe('UNSUPPORTED')
    expect(error.message).toContain('quaternion')
    expect(error.message).toContain(FILE)
    expect(failure(() => parse({ ...V2, schemas: [odd], 'current-schema-id': 9 })).message).toContain('quaternion')
  })

  it.each(damaged.filter((c) => c.case.startsWith('metadata_') && c.case !== 'metadata_unknown_transform'))(
    'damaged/$case is an error that names the file',
    (broken) => {
      const file = FIXTURES + broken.metadata
      const error = failure(() => parseTableMetadata(readFileSync(file), file))
      expect(['CORRUPT_FILE', 'UNSUPPORTED']).toContain(error.code)
      expect(error.message).toContain(file)
    },
  )

  it('with an unknown transform is read, the transform kept as it is', () => {
    const broken = damaged.find((c) => c.case === 'metadata_unknown_transform')!
    const metadata = parseTableMetadata(readFileSync(FIXTURES + broken.metadata), FILE)
    expect(metadata.specById(metadata.defaultSpecId).fields.map((field) => field.transform)).toContainEqual({
      kind: 'unknown',
      text: 'frobnicate[3]',
    })
  })

  it('cut, flipped or with values swapped never throws anything but a LakefoldError', () => {
    const whole = text(`${FIXTURES}tables/row_lineage/metadata/v3.metadata.json`)
    const attempt = (bytes: Uint8Array) => {
      try {
        const metadata = parseTableMetadata(bytes, FILE)
        metadata.currentSchema()
        metadata.currentSnapshot()
        metadata.partitionTypeUnion()
        metadata.toJson()
      } catch (error) {
        if (!LakefoldError.is(error)) throw error
        expect(error.message).toContain(FILE)
      }
    }
    const values = [
      'null',
      '-1',
      '9223372036854775808',
      '1.5',
      '"x"',
      '[]',
      '{}',
      'true',
      '[[]]',
      '[null]',
      '{"a":null}',
    ]
    const spots = [...whole.matchAll(/:\s*(-?\d+|"[^"]*"|true|false|\[|\{)/g)]
    fc.assert(
      fc.property(fc.nat(spots.length - 1), fc.constantFrom(...values), (n, value) => {
        const spot = spots[n]!
        attempt(Buffer.from(`${whole.slice(0, spot.index)}:${value}${whole.slice(spot.index + spot[0].length)}`))
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.nat(whole.length * 8 - 1), fc.boolean(), fc.boolean(), (bit, cut, packed) => {
        const bytes = packed ? gzipSync(whole) : Buffer.from(whole)
        const at = (bit >> 3) % bytes.length
        bytes[at]! ^= 1 << (bit & 7)
        attempt(cut ? bytes.subarray(0, at) : bytes)
      }),
      { numRuns: 300 },
    )
  })
})
