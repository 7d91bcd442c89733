import type { Cursor } from './cursor.js'
import { RowSet } from './row-set.js'

const COOKIE = 12347
const COOKIE_NO_RUNS = 12346
const ARRAY_MAX = 4096
const BITMAP_BYTES = 8192
/** With fewer containers and runs there are no offsets. */
const NO_OFFSETS_BELOW = 4

/**
 * Reads a Roaring bitmap of 32-bit values (Roaring format specification, "Standard 32-bit Roaring Bitmap") as rows of a file of `size`
 * rows, and leaves the cursor behind it. A row beyond the file is CORRUPT_FILE.
 */
export function readRoaring(cursor: Cursor, size: number): RowSet {
  const set = RowSet.none(size)
  const cookie = unsigned(cursor, 4)
  let count: number
  let runs: Uint8Array | undefined
  if ((cookie & 0xffff) === COOKIE) {
    count = (cookie >>> 16) + 1
    runs = cursor.take(Math.ceil(count / 8))
  } else if (cookie === COOKIE_NO_RUNS) {
    count = unsigned(cursor, 4)
    if (count > 65536) cursor.fail(`has a bitmap of ${count} containers`)
  } else return cursor.fail(`has a bitmap that begins with ${cookie}`)
  const header = cursor.take(count * 4)
  if (runs === undefined || count >= NO_OFFSETS_BELOW) cursor.take(count * 4)
  for (let i = 0; i < count; i++) {
    const base = word(header, i * 4) * 65536
    const cardinality = word(header, i * 4 + 2) + 1
    if (runs !== undefined && ((runs[i >> 3] as number) & (1 << (i & 7))) !== 0) readRuns(cursor, base, set)
    else if (cardinality <= ARRAY_MAX) readArray(cursor, base, cardinality, set)
    else readBits(cursor, base, set)
  }
  return set
}

function readRuns(cursor: Cursor, base: number, set: RowSet): void {
  const count = unsigned(cursor, 2)
  const runs = cursor.take(count * 4)
  for (let i = 0; i < count; i++) {
    const start = base + word(runs, i * 4)
    const end = start + word(runs, i * 4 + 2) + 1
    checkRow(cursor, end - 1, set)
    set.addRange(start, end)
  }
}

function readArray(cursor: Cursor, base: number, count: number, set: RowSet): void {
  const values = cursor.take(count * 2)
  for (let i = 0; i < count; i++) {
    const row = base + word(values, i * 2)
    checkRow(cursor, row, set)
    set.add(row)
  }
}

function readBits(cursor: Cursor, base: number, set: RowSet): void {
  cursor.take(BITMAP_BYTES).forEach((byte, at) => {
    for (let bit = 0; bit < 8; bit++) {
      if ((byte & (1 << bit)) === 0) continue
      const row = base + at * 8 + bit
      checkRow(cursor, row, set)
      set.add(row)
    }
  })
}

function checkRow(cursor: Cursor, row: number, set: RowSet): void {
  if (row >= set.size) cursor.fail(`has row ${row} of a file of ${set.size} rows`)
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}

/** A little-endian number of two or four bytes. */
function unsigned(cursor: Cursor, size: 2 | 4): number {
  const bytes = cursor.take(size)
  return size === 2 ? word(bytes, 0) : (word(bytes, 0) | (word(bytes, 2) << 16)) >>> 0
}
