import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  List,
  Map_,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow'
import { afterAll, describe, expect, test } from 'vitest'
import { assembleBatch, assembleDictionary } from '../../../ts/arrow/assemble.js'
import { head, releaseBatch } from '../../../ts/arrow/release.js'
import { type Claim, native } from '../../../ts/base/native.js'

const scan = native().scanOpen('{}')
afterAll(() => native().scanClose(scan))

/** A batch's way through the ledger, cut to a slice on the Rust side. */
function through(
  table: Table,
  take: (ticket: number) => Claim = (ticket) => native().claim(ticket),
  offset = 0,
  length = 0xffff_ffff,
): RecordBatch[] {
  const tickets = native().importIpc(scan, tableToIPC(table, 'stream'), offset, length)
  return tickets.map(({ ticket }) =>
    assembleBatch(take(ticket), table.schema, (id, type) =>
      assembleDictionary(native().claimDictionary(id, false), type),
    ),
  )
}

function column(name: string, type: DataType, values: readonly unknown[]): [Field, Data] {
  return [new Field(name, type, true), vectorFromArray(values as never[], type as never).data[0]! as Data]
}

function everyType(rows: number): Table {
  const at = Array.from({ length: rows }, (_, i) => i)
  const orNull = <T>(every: number, make: (i: number) => T) => at.map((i) => (i % every === every - 1 ? null : make(i)))
  const child = (name: string, type: DataType) => new Field(name, type, true)
  const struct = new Struct([child('a', new Int32()), child('b', new Utf8())])
  const entries = new Struct([new Field('key', new Utf8(), false), child('value', new Int32())])
  const map = new Map_(new Field('entries', entries as never, false))
  const decimals = new Uint32Array(at.flatMap((i) => [i, 0, 0, i % 2 === 0 ? 0 : 1]))
  const columns: [Field, Data][] = [
    column(
      'bool',
      new Bool(),
      orNull(3, (i) => i % 2 === 0),
    ),
    column(
      'int8',
      new Int8(),
      orNull(4, (i) => i % 100),
    ),
    column(
      'int32',
      new Int32(),
      at.map((i) => -i),
    ),
    column(
      'int64',
      new Int64(),
      orNull(5, (i) => BigInt(i) << 40n),
    ),
    column(
      'float',
      new Float32(),
      orNull(6, (i) => i / 2),
    ),
    column(
      'double',
      new Float64(),
      at.map((i) => (i === 0 ? Number.NaN : i / 3)),
    ),
    column(
      'date',
      new DateDay(),
      orNull(3, (i) => new Date(i * 86_400_000)),
    ),
    column(
      'time',
      new TimeMicrosecond(),
      orNull(3, (i) => BigInt(i) * 1000n),
    ),
    column(
      'micros',
      new TimestampMicrosecond(),
      at.map((i) => i * 1000),
    ),
    column(
      'nanos',
      new TimestampNanosecond('UTC'),
      at.map((i) => i * 1000),
    ),
    column(
      'utf8',
      new Utf8(),
      orNull(3, (i) => `text ☃ ${i}`),
    ),
    column(
      'binary',
      new Binary(),
      orNull(7, (i) => new Uint8Array([i, 255])),
    ),
    column(
      'fixed',
      new FixedSizeBinary(3),
      at.map((i) => new Uint8Array([i, 1, 2])),
    ),
    column(
      'struct',
      struct,
      orNull(4, (i) => ({ a: i, b: `s${i}` })),
    ),
    column(
      'list',
      new List(child('element', new Int32())),
      orNull(5, (i) => at.slice(0, i % 4)),
    ),
    column(
      'nested',
      new List(child('element', new List(child('element', new Utf8())))),
      orNull(5, (i) => [[`${i}`], []]),
    ),
    column(
      'pair',
      new FixedSizeList(2, child('element', new Int32())),
      at.map((i) => [i, i + 1]),
    ),
    column(
      'map',
      map,
      orNull(6, (i) => new Map([[`k${i}`, i]])),
    ),
    column(
      'dictionary',
      new Dictionary(new Utf8(), new Int32()),
      orNull(4, (i) => ['x', 'y', 'z'][i % 3]),
    ),
    [new Field('null', new Null(), true), makeData({ type: new Null(), length: rows }) as Data],
    [
      new Field('decimal', new Decimal(2, 38), true),
      makeData({ type: new Decimal(2, 38), length: rows, data: decimals }) as Data,
    ],
  ]
  const schema = new Schema(columns.map(([field]) => field))
  return new Table(schema, Object.fromEntries(columns.map(([field, data]) => [field.name, new Vector([data])])))
}

const plain = (rows: { toArray(): unknown[] }) =>
  JSON.stringify(rows.toArray(), (_, value) =>
    typeof value === 'bigint'
      ? `${value}n`
      : Number.isNaN(value)
        ? 'NaN'
        : ArrayBuffer.isView(value)
          ? [...(value as Uint8Array)]
          : value,
  )

describe('assembleBatch', () => {
  const table = everyType(50)

  test('every type comes out as it went in', () => {
    const [batch] = through(table)
    expect(batch!.numRows).toBe(50)
    for (const [index, field] of table.schema.fields.entries()) {
      const [out, back] = [batch!.getChildAt(index)!, table.getChildAt(index)!]
      expect(`${field.name} ${plain(out)}`).toBe(`${field.name} ${plain(back)}`)
      expect(out.nullCount).toBe(back.nullCount)
    }
  })

  test.each([
    [1, 49],
    [8, 16],
    [13, 20],
    [49, 1],
    [50, 0],
  ])('slices from row %i, %i long, are zero-based', (offset, length) => {
    const [batch] = through(table, undefined, offset, length)
    const cut = table.slice(offset, offset + length)
    for (const [index, field] of table.schema.fields.entries()) {
      expect(`${field.name} ${plain(batch!.getChildAt(index)!)}`).toBe(`${field.name} ${plain(cut.getChildAt(index)!)}`)
    }
  })

  test('copied batches, for runtimes that refuse external memory, are the same', () => {
    const [batch] = through(table, (ticket) => native().copyOut(ticket))
    const [shared] = through(table)
    expect(plain(batch!)).toBe(plain(shared!))
    const memory = batch!.data.children[2]!.values.buffer
    expect(batch!.data.children[3]!.values.buffer).toBe(memory)
    expect(structuredClone(memory, { transfer: [memory] }).byteLength).toBeGreaterThan(0)
  })

  test('vectors stand on the claimed memory: nothing is copied', () => {
    let claim: Claim | undefined
    const [batch] = through(table, (ticket) => {
      claim = native().claim(ticket)
      return claim
    })
    const used = new Set<ArrayBufferLike>()
    const visit = (data: Data): void => {
      for (const part of [data.values, data.valueOffsets, data.nullBitmap]) {
        if (part !== undefined && part.byteLength > 0) used.add(part.buffer)
      }
      data.children.forEach(visit)
    }
    visit(batch!.data)
    expect(used).toEqual(new Set(claim!.buffers))
    // The one way to see an address from JavaScript: a write shows through every view of it.
    const first = new Uint8Array(claim!.buffers[claim!.slots[3]!]!, claim!.slots[4])
    first[0] = first[0]! ^ 1
    expect(batch!.getChildAt(0)!.get(0)).toBe(false)
  })

  test('100 columns', () => {
    const columns = Object.fromEntries(
      Array.from({ length: 100 }, (_, c) => [`c${c}`, vectorFromArray([c, null, c + 1], new Int32())]),
    )
    const [batch] = through(new Table(columns))
    expect(batch!.numCols).toBe(100)
    for (let c = 0; c < 100; c++) expect([...batch!.getChildAt(c)!]).toEqual([c, null, c + 1])
  })

  test('a batch is what the constructor of apache-arrow makes', () => {
    const table = everyType(50)
    const [first, second] = [...through(table), ...through(table)]
    const { schema, data } = first!
    const made = new RecordBatch(schema, data)
    expect(Object.keys(first!).sort()).toEqual(Object.keys(made).sort())
    expect(first).toBeInstanceOf(RecordBatch)
    expect(tableToIPC(new Table([first!]), 'stream')).toEqual(tableToIPC(new Table([made]), 'stream'))
    expect(first!.numCols).toBe(made.numCols)
    expect(first!.toString()).toBe(made.toString())
    expect(first!.dictionaries.size).toBe(made.dictionaries.size)
    // Nothing that one could change is shared.
    const { _metadata: one } = first as unknown as { _metadata?: Map<string, string> }
    const { _metadata: other } = second as unknown as { _metadata?: Map<string, string> }
    if (one !== undefined) expect(one).not.toBe(other)
  })

  test('a batch without columns keeps its rows', () => {
    const claim: Claim = { rows: 7, nodes: [], slots: [], buffers: [], dictionaries: [] }
    expect(assembleBatch(claim, new Schema([]), () => new Vector([])).numRows).toBe(7)
  })
})

describe('releaseBatch', () => {
  test('frees the memory within a turn or two, also through a cut of the batch', async () => {
    const own = native().scanOpen('{}')
    const live = () => native().scanMemory(own).live
    const table = new Table({
      a: vectorFromArray(
        Array.from({ length: 200_000 }, (_, i) => i),
        new Int32(),
      ),
    })
    const [ticket] = native().importIpc(own, tableToIPC(table, 'stream'), 0, 200_000)
    const batch = assembleBatch(native().claim(ticket!.ticket), table.schema, () => new Vector([]))
    const cut = head(batch, 10)
    expect(live()).toBeGreaterThan(700_000)
    releaseBatch(cut)
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(live()).toBe(0)
    expect(batch.data.children[0]!.values.length).toBe(0)
    releaseBatch(cut)
    native().scanClose(own)
  })

  test('leaves batches of others alone', () => {
    const foreign = new Table({ a: vectorFromArray([1], new Int32()) }).batches[0]!
    releaseBatch(foreign)
    expect(foreign.getChildAt(0)!.get(0)).toBe(1)
  })
})
