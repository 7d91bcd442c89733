import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AvroContainer } from '../../../ts/avro/container.js'
import {
  boolean,
  bytes,
  type Compile,
  field,
  int,
  list,
  long,
  optional,
  readRecords,
  record,
  string,
} from '../../../ts/avro/read.js'
import { failure } from '../failure.js'
import { avroFile, type WriteOptions } from './write.js'

const FILE = 'file:/t/x.avro'
const pair = (name: string, value: unknown, keyId: number, valueId: number) => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name,
    fields: [
      { name: 'key', type: 'int', 'field-id': keyId },
      { name: 'value', type: value, 'field-id': valueId },
    ],
  },
})
const SCHEMA = {
  type: 'record',
  name: 'r',
  namespace: 'n.s',
  fields: [
    { name: 'skipped', type: ['null', { type: 'map', values: { type: 'array', items: 'double' } }], 'field-id': 90 },
    { name: 'a', type: 'int', 'field-id': 1 },
    { name: 'b', type: ['long', 'null'], 'field-id': 2 },
    { name: 'e', type: { type: 'enum', name: 'e', symbols: ['x', 'y'] }, 'field-id': 91 },
    { name: 'c', type: 'string', 'field-id': 3 },
    { name: 'fx', type: { type: 'fixed', name: 'f4', size: 4 }, 'field-id': 4 },
    { name: 'fx2', type: 'n.s.f4', 'field-id': 92 },
    { name: 'd', type: ['null', { type: 'array', items: 'long' }], 'field-id': 5 },
    { name: 'counts', type: ['null', pair('k1', 'long', 11, 12)], 'field-id': 6 },
    { name: 'bounds', type: ['null', pair('k2', 'bytes', 13, 14)], 'field-id': 7 },
    { name: 'unwanted', type: ['null', pair('k3', 'long', 15, 16)], 'field-id': 93 },
    { name: 'flag', type: 'boolean', 'field-id': 8 },
    { name: 'tail', type: ['null', 'float', { type: 'record', name: 'in', fields: [{ name: 'z', type: 'string' }] }] },
  ],
}
const READER = record({
  a: field(1, int),
  b: field(2, optional(long)),
  c: field(3, string),
  fx: field(4, bytes),
  d: field(5, optional(list(long))),
  counts: field(6, optional(list(record({ key: field(11, int), value: field(12, long) })))),
  bounds: field(7, optional(list(record({ value: field(14, bytes) })))),
  flag: field(8, boolean),
  absent: field(99, optional(long)),
})

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const buffer = (size?: number) =>
  fc
    .uint8Array(size === undefined ? { maxLength: 40 } : { minLength: size, maxLength: size })
    .map((b) => Buffer.from(b))
const map = <T>(value: fc.Arbitrary<T>) =>
  fc.option(fc.uniqueArray(fc.record({ key: fc.integer({ min: 0, max: 4 }), value }), { selector: (p) => p.key }))
const RECORD = fc.record({
  skipped: fc.option(fc.dictionary(fc.string(), fc.array(fc.double()))),
  a: int32,
  b: fc.option(int64),
  e: fc.constantFrom('x', 'y'),
  c: fc.string({ unit: 'grapheme' }),
  fx: buffer(4),
  fx2: buffer(4),
  d: fc.option(fc.array(int64)),
  counts: map(int64),
  bounds: map(buffer()),
  unwanted: map(int64),
  flag: fc.boolean(),
  tail: fc.constantFrom(null, 1.5, { z: 'zz' }),
})

function read<T>(file: Uint8Array, reader: Compile<T>, limit?: number): T[] {
  return readRecords(new AvroContainer(file, FILE), reader, limit)
}

/** A snappy block of one literal, as a compressor may write it. */
const snappyLiteral: NonNullable<WriteOptions['codecs']>[string] = (data, done) => {
  const varint: number[] = []
  let n = data.length
  for (; n > 127; n >>= 7) varint.push((n & 127) | 128)
  varint.push(n)
  const length = Buffer.alloc(5)
  length[0] = 63 << 2
  length.writeUInt32LE(data.length - 1, 1)
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(data))
  done(null, Buffer.concat([Buffer.from(varint), length, data, crc]))
}

describe('an Avro container', () => {
  it.each(['null', 'deflate'])('with codec %s gives back what another writer wrote', async (codec) => {
    await fc.assert(
      fc.asyncProperty(fc.array(RECORD, { minLength: 1, maxLength: 20 }), async (records) => {
        const file = await avroFile(SCHEMA, records, { codec, blockSize: 300 })
        const got = read(file, READER)
        expect(got).toEqual(
          records.map((r) => ({
            a: r.a,
            b: r.b ?? undefined,
            c: r.c,
            fx: new Uint8Array(r.fx),
            d: r.d ?? undefined,
            counts: r.counts ?? undefined,
            bounds: r.bounds?.map((p) => ({ value: new Uint8Array(p.value) })),
            flag: r.flag,
            absent: undefined,
          })),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('with codec snappy checks the CRC', async () => {
    const schema = { type: 'record', name: 'r', fields: [{ name: 'a', type: 'string', 'field-id': 1 }] }
    const file = await avroFile(schema, [{ a: 'lakefold' }], { codec: 'snappy', codecs: { snappy: snappyLiteral } })
    const reader = record({ a: field(1, string) })
    expect(read(file, reader)).toEqual([{ a: 'lakefold' }])
    file[file.indexOf('lakefold', file.indexOf('snappy'))]! ^= 1
    const error = failure(() => read(file, reader))
    expect([error.code, error.message]).toEqual(['CORRUPT_FILE', expect.stringContaining('checksum')])
  })

  it('with an unknown codec is UNSUPPORTED', async () => {
    const schema = { type: 'record', name: 'r', fields: [{ name: 'a', type: 'string', 'field-id': 1 }] }
    const file = await avroFile(schema, [{ a: 'x' }], {
      codec: 'lzo',
      codecs: { lzo: (data, done) => done(null, data) },
    })
    const error = failure(() => read(file, record({ a: field(1, string) })))
    expect(error).toMatchObject({ code: 'UNSUPPORTED', message: `${FILE}: the Avro codec "lzo" is not supported` })
  })

  it('does not unpack a block beyond the limit', async () => {
    const schema = { type: 'record', name: 'r', fields: [{ name: 'a', type: 'string', 'field-id': 1 }] }
    const file = await avroFile(schema, [{ a: 'x'.repeat(100_000) }], { codec: 'deflate' })
    const reader = record({ a: field(1, string) })
    expect(read(file, reader, 200_000)).toHaveLength(1)
    expect(failure(() => read(file, reader, 10_000))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining(FILE),
    })
  })

  it('cut anywhere but between blocks is CORRUPT_FILE', async () => {
    const schema = { type: 'record', name: 'r', fields: [{ name: 'a', type: 'long', 'field-id': 1 }] }
    const records = Array.from({ length: 40 }, (_, i) => ({ a: BigInt(i) }))
    const file = await avroFile(schema, records, { blockSize: 16 })
    const reader = record({ a: field(1, long) })
    const whole = new Set<number>()
    for (let end = 0; end < file.length; end++) {
      try {
        read(file.subarray(0, end), reader)
        whole.add(end)
      } catch (error) {
        expect(error).toMatchObject({ code: 'CORRUPT_FILE', message: expect.stringContaining(FILE) })
      }
    }
    // The end of the header, and of each block: the format does not tell how many blocks there are.
    const sync = file.subarray(file.length - 16)
    const ends: number[] = []
    for (let at = file.indexOf(sync); at >= 0; at = file.indexOf(sync, at + 1)) ends.push(at + 16)
    expect([...whole]).toEqual(ends.filter((end) => end < file.length))
    expect(whole.size).toBeGreaterThan(1)
  })

  it('with a changed sync marker is CORRUPT_FILE', async () => {
    const schema = { type: 'record', name: 'r', fields: [{ name: 'a', type: 'long', 'field-id': 1 }] }
    const file = await avroFile(schema, [{ a: 1n }])
    file[file.length - 3]! ^= 0x10
    expect(failure(() => read(file, record({ a: field(1, long) }))).message).toContain('sync marker')
  })
})

describe('hostile lengths and schemas', () => {
  const zigzag = (value: bigint) => {
    const out: number[] = []
    let rest = value >= 0n ? value << 1n : (-value << 1n) - 1n
    for (; rest > 127n; rest >>= 7n) out.push(Number((rest & 127n) | 128n))
    out.push(Number(rest))
    return Buffer.from(out)
  }
  const file = (schema: unknown, count: bigint, data: Buffer) => {
    const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
    const entry = (s: string) => Buffer.concat([zigzag(BigInt(Buffer.byteLength(s))), Buffer.from(s)])
    const sync = Buffer.alloc(16, 7)
    return Buffer.concat([
      Buffer.from('Obj\x01'),
      zigzag(1n),
      entry('avro.schema'),
      entry(text),
      zigzag(0n),
      sync,
      zigzag(count),
      zigzag(BigInt(data.length)),
      data,
      sync,
    ])
  }
  const one = (type: unknown) => ({ type: 'record', name: 'r', fields: [{ name: 'a', type, 'field-id': 1 }] })

  it.each([
    ['a record count beyond the bytes', file(one('long'), 2n ** 60n, zigzag(1n)), long],
    ['a negative record count', file(one('long'), -5n, zigzag(1n)), long],
    ['a string longer than the block', file(one('string'), 1n, zigzag(2n ** 40n)), string],
    ['a negative string length', file(one('string'), 1n, zigzag(-2n)), string],
    ['an array longer than the block', file(one({ type: 'array', items: 'long' }), 1n, zigzag(2n ** 62n)), list(long)],
    ['an integer that does not end', file(one('long'), 1n, Buffer.alloc(30, 0xff)), long],
    ['an int of 64 bits', file(one('int'), 1n, zigzag(2n ** 40n)), int],
    ['a union branch that is not there', file(one(['null', 'long']), 1n, zigzag(7n)), optional(long)],
    ['a boolean of 2', file(one('boolean'), 1n, Buffer.from([2])), boolean],
    ['text that is not UTF-8', file(one('string'), 1n, Buffer.from([4, 0xc3, 0x28])), string],
    ['bytes after the last record', file(one('long'), 1n, Buffer.from([2, 2])), long],
    ['records without bytes', file(one('null'), 2n ** 50n, Buffer.alloc(0)), optional(long)],
    ['items without bytes', file(one({ type: 'array', items: 'null' }), 1n, zigzag(2n ** 50n)), list(optional(long))],
    ['a type that holds itself', file(one({ type: 'array', items: 'r' }), 1n, zigzag(0n)), list(long)],
    ['a type that nobody defined', file(one('nobody'), 1n, zigzag(0n)), long],
    ['another type than the one expected', file(one('double'), 1n, Buffer.alloc(8)), long],
    [
      'a schema nested deep',
      file(`${'{"type":"array","items":'.repeat(200)}"int"${'}'.repeat(200)}`, 1n, zigzag(0n)),
      long,
    ],
    ['a schema that is no JSON', file('{"type":', 1n, zigzag(0n)), long],
  ] as [string, Buffer, Compile<unknown>][])('%s is CORRUPT_FILE naming the file', (_, bytesOf, compile) => {
    const error = failure(() => read(bytesOf, record({ a: field(1, compile) })))
    expect([error.code, error.message]).toEqual(['CORRUPT_FILE', expect.stringContaining(FILE)])
  })

  it('a schema that doubles at each level is refused', () => {
    let type: unknown = 'int'
    const names: unknown[] = []
    for (let i = 0; i < 40; i++) {
      const fields = [
        { name: 'x', type },
        { name: 'y', type: i === 0 ? 'int' : `t${i - 1}` },
      ]
      type = { type: 'record', name: `t${i}`, fields }
      names.push(type)
    }
    expect(failure(() => read(file(type, 1n, Buffer.alloc(10)), record({}))).message).toContain('more than 10000 types')
  })
})
