import {
  type Data,
  DataType,
  type Field,
  type List,
  type Map_,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
} from 'apache-arrow'

/**
 * A cell: a number, a bigint for 64-bit integers, times and decimals (unscaled), a boolean, a string, bytes, null, and for nested types
 * an array with one cell per field of a struct or element of a list, or with a pair per entry of a map.
 */
export type Cell = unknown

/** Rows, one cell per column, as an Arrow table of one batch; integers of 64 bits, decimals and times exact. */
export function tableOfCells(fields: readonly Field[], rows: readonly (readonly Cell[])[]): Table {
  const schema = new Schema([...fields])
  const type = new Struct([...fields])
  return new Table(schema, [new RecordBatch(schema, structData(type, rows) as Data<Struct>)])
}

function cellData(type: DataType, cells: readonly Cell[]): Data {
  const length = cells.length
  const { nullBitmap, nullCount } = validity(cells)
  const flat = (data: ArrayBufferView) => makeData({ type, length, nullCount, nullBitmap, data } as never) as Data
  if (DataType.isNull(type)) return makeData({ type, length })
  if (DataType.isStruct(type)) return structData(type, cells as readonly (readonly Cell[] | null)[])
  if (DataType.isList(type) || DataType.isMap(type)) {
    const lists = cells as readonly (readonly Cell[] | null)[]
    const items = lists.flatMap((list) => list ?? [])
    const child = cellData((type as List | Map_).children[0]!.type, items)
    const valueOffsets = offsets(lists.map((list) => list?.length ?? 0))
    return makeData({ type, length, nullCount, nullBitmap, valueOffsets, child } as never) as Data
  }
  if (DataType.isBool(type)) return flat(bitmap(cells, (cell) => cell === true))
  if (DataType.isDecimal(type)) return flat(decimals(cells as readonly (bigint | null)[]))
  if (DataType.isFixedSizeBinary(type)) return flat(fixed(cells as readonly (Uint8Array | null)[], type.byteWidth))
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    const values = cells.map((cell) => (typeof cell === 'string' ? Buffer.from(cell) : ((cell as Uint8Array) ?? EMPTY)))
    const valueOffsets = offsets(values.map((value) => value.length))
    const data = new Uint8Array(Buffer.concat(values))
    return makeData({ type, length, nullCount, nullBitmap, valueOffsets, data } as never) as Data
  }
  const array = type.ArrayType as ArrayConstructorOf
  const zero = array === BigInt64Array ? 0n : 0
  return flat(array.from(cells, (cell) => cell ?? zero))
}

type ArrayConstructorOf = { from(cells: readonly Cell[], map: (cell: Cell) => unknown): ArrayBufferView }

const EMPTY = new Uint8Array(0)

function structData(type: Struct, rows: readonly (readonly Cell[] | null)[]): Data {
  const children = type.children.map((field, i) =>
    cellData(
      field.type,
      rows.map((row) => row?.[i] ?? null),
    ),
  )
  return makeData({ type, length: rows.length, ...validity(rows), children })
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
