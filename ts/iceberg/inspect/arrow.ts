import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
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
  Utf8,
} from 'apache-arrow'
import type { NestedField, Type } from '../../types/types.js'

/**
 * A cell: a value of its column's type as in memory (see `Value`), null, and for nested types an array with one cell per field of a struct
 * or element of a list, or with a pair per entry of a map.
 */
export type Cell = unknown

/** Rows, one cell per column, as an Arrow table; integers of 64 bits, decimals and times exact. */
export function arrowTable(columns: readonly NestedField[], rows: readonly (readonly Cell[])[]): Table {
  const type = new Struct(columns.map(arrowField))
  const data = structData(type, columns, rows) as Data<Struct>
  const schema = new Schema(type.children)
  return new Table(schema, [new RecordBatch(schema, data)])
}

function arrowField(field: NestedField): Field {
  return new Field(field.name, arrowType(field.type), !field.required)
}

function arrowType(type: Type): DataType {
  switch (type.kind) {
    case 'boolean':
      return new Bool()
    case 'int':
      return new Int32()
    case 'long':
      return new Int64()
    case 'float':
      return new Float32()
    case 'double':
      return new Float64()
    case 'decimal':
      return new Decimal(type.scale, type.precision, 128)
    case 'date':
      return new DateDay()
    case 'time':
      return new TimeMicrosecond()
    case 'timestamp':
      return new TimestampMicrosecond()
    case 'timestamptz':
      return new TimestampMicrosecond('UTC')
    case 'timestamp_ns':
      return new TimestampNanosecond()
    case 'timestamptz_ns':
      return new TimestampNanosecond('UTC')
    case 'string':
      return new Utf8()
    case 'uuid':
      return new FixedSizeBinary(16)
    case 'fixed':
      return new FixedSizeBinary(type.length)
    case 'unknown':
      return new Null()
    case 'struct':
      return new Struct(type.fields.map(arrowField))
    case 'list':
      return new List(new Field('element', arrowType(type.element), !type.elementRequired))
    case 'map':
      return new Map_(
        new Field(
          'entries',
          new Struct([
            new Field('key', arrowType(type.key), false),
            new Field('value', arrowType(type.value), !type.valueRequired),
          ]),
          false,
        ) as never,
      )
    default:
      return new Binary()
  }
}

function arrowData(type: Type, cells: readonly Cell[]): Data {
  const arrow = arrowType(type)
  const length = cells.length
  const { nullBitmap, nullCount } = validity(cells)
  const flat = (data: ArrayBufferView) =>
    makeData({ type: arrow, length, nullCount, nullBitmap, data } as never) as Data
  switch (type.kind) {
    case 'boolean':
      return flat(bitmap(cells, (cell) => cell === true))
    case 'int':
    case 'date':
      return flat(Int32Array.from(cells, (cell) => (cell as number) ?? 0))
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return flat(BigInt64Array.from(cells, (cell) => (cell as bigint) ?? 0n))
    case 'float':
      return flat(Float32Array.from(cells, (cell) => (cell as number) ?? 0))
    case 'double':
      return flat(Float64Array.from(cells, (cell) => (cell as number) ?? 0))
    case 'decimal':
      return flat(decimals(cells as readonly (bigint | null)[]))
    case 'uuid':
      return flat(fixed(cells as readonly (Uint8Array | null)[], 16))
    case 'fixed':
      return flat(fixed(cells as readonly (Uint8Array | null)[], type.length))
    case 'unknown':
      return makeData({ type: arrow as Null, length })
    case 'struct':
      return structData(arrow as Struct, type.fields, cells as readonly (readonly Cell[] | null)[])
    case 'list':
    case 'map': {
      const lists = cells as readonly (readonly Cell[] | null)[]
      const items = lists.flatMap((list) => list ?? [])
      const child =
        type.kind === 'list'
          ? arrowData(type.element, items)
          : entriesData(arrow as Map_, type, items as [Cell, Cell][])
      const valueOffsets = offsets(lists.map((list) => list?.length ?? 0))
      return makeData({ type: arrow, length, nullCount, nullBitmap, valueOffsets, child } as never) as Data
    }
    default: {
      const values = cells.map((cell) =>
        typeof cell === 'string' ? Buffer.from(cell) : ((cell as Uint8Array) ?? EMPTY),
      )
      const valueOffsets = offsets(values.map((value) => value.length))
      const data = new Uint8Array(Buffer.concat(values))
      return makeData({ type: arrow, length, nullCount, nullBitmap, valueOffsets, data } as never) as Data
    }
  }
}

const EMPTY = new Uint8Array(0)

function structData(type: Struct, fields: readonly NestedField[], rows: readonly (readonly Cell[] | null)[]): Data {
  const children = fields.map((field, i) =>
    arrowData(
      field.type,
      rows.map((row) => row?.[i] ?? null),
    ),
  )
  return makeData({ type, length: rows.length, ...validity(rows), children })
}

function entriesData(type: Map_, map: Type & { kind: 'map' }, entries: readonly (readonly [Cell, Cell])[]): Data {
  const children = [map.key, map.value].map((part, i) =>
    arrowData(
      part,
      entries.map((entry) => entry[i] ?? null),
    ),
  )
  return makeData({ type: type.children[0]!.type as Struct, length: entries.length, nullCount: 0, children })
}

function validity(cells: readonly Cell[]) {
  const present = (cell: Cell) => cell !== null && cell !== undefined
  return { nullBitmap: bitmap(cells, present), nullCount: cells.reduce<number>((n, c) => (present(c) ? n : n + 1), 0) }
}

function bitmap(cells: readonly Cell[], bit: (cell: Cell) => boolean): Uint8Array {
  const bits = new Uint8Array((cells.length + 7) >> 3)
  cells.forEach((cell, i) => {
    if (bit(cell)) bits[i >> 3]! |= 1 << (i & 7)
  })
  return bits
}

function offsets(lengths: readonly number[]): Int32Array {
  const starts = new Int32Array(lengths.length + 1)
  lengths.forEach((length, i) => {
    starts[i + 1] = starts[i]! + length
  })
  return starts
}

function fixed(cells: readonly (Uint8Array | null)[], size: number): Uint8Array {
  const bytes = new Uint8Array(cells.length * size)
  cells.forEach((cell, i) => {
    if (cell !== null) bytes.set(cell.subarray(0, size), i * size)
  })
  return bytes
}

/** 128-bit little-endian two's complement. */
function decimals(cells: readonly (bigint | null)[]): Uint32Array {
  const words = new Uint32Array(cells.length * 4)
  cells.forEach((cell, i) => {
    let rest = BigInt.asUintN(128, cell ?? 0n)
    for (let word = 0; word < 4; word++) {
      words[i * 4 + word] = Number(rest & 0xffffffffn)
      rest >>= 32n
    }
  })
  return words
}
