import { placedError } from '../metadata/errors.js'
import type { PaimonType } from '../metadata/types.js'
import type { Cursor } from './cursor.js'
import { type Key, keyOrder, keyReader } from './key.js'
import { readRoaring } from './roaring.js'
import type { RowIndex } from './row-index.js'
import { RowSet } from './row-set.js'

/** A bitmap for each value of a column. Version 1 lists all values, version 2 finds them by blocks that are sorted. */
export class BitmapIndex implements RowIndex {
  readonly rowCount: number
  private readonly version: number
  private readonly nullOffset: number | undefined
  private readonly read: (cursor: Cursor) => Key
  private readonly order: (a: Key, b: Key) => number
  private readonly blocks: readonly { readonly first: Key; readonly offset: number }[]
  private readonly count: number
  /** Where the list of values (version 1) or the first block (version 2) begins. */
  private readonly dictionary: number
  /** Where the bitmaps begin, in version 2. */
  private readonly bodyStart: number

  /** The index of a column of `type`; undefined for types that such an index does not take. */
  static of(type: PaimonType, body: Cursor, rowCount: number): BitmapIndex | undefined {
    const read = keyReader(type)
    return read === undefined || type.kind === 'decimal' ? undefined : new BitmapIndex(type, read, body, rowCount)
  }

  private constructor(
    type: PaimonType,
    read: (cursor: Cursor) => Key,
    private readonly body: Cursor,
    rowCount: number,
  ) {
    this.read = read
    this.order = keyOrder(type)
    body.at = 0
    this.version = body.byte()
    if (this.version !== 1 && this.version !== 2) {
      throw placedError('UNSUPPORTED', body.place, `has the version ${this.version}`, this.version)
    }
    this.rowCount = body.int()
    if (this.rowCount !== rowCount) body.fail(`is over ${this.rowCount} rows of a file of ${rowCount}`)
    this.count = body.count()
    this.nullOffset = body.boolean() ? body.int() : undefined
    const blocks: { first: Key; offset: number }[] = []
    if (this.version === 2) {
      if (this.nullOffset !== undefined) body.int()
      for (let left = body.count(); left > 0; left--) blocks.push({ first: read(body), offset: body.int() })
      const blocksLength = body.int()
      this.dictionary = body.at
      this.bodyStart = body.at + blocksLength
    } else {
      this.dictionary = body.at
      for (let left = this.count; left > 0; left--) {
        read(body)
        body.int()
      }
      this.bodyStart = body.at
    }
    this.blocks = blocks
  }

  nulls(): RowSet {
    return this.nullOffset === undefined ? RowSet.none(this.rowCount) : this.rows(this.nullOffset)
  }

  equal(key: Key): RowSet {
    const offset = this.version === 1 ? this.scan(this.dictionary, this.count, 0, key) : this.find(key)
    return offset === undefined ? RowSet.none(this.rowCount) : this.rows(offset)
  }

  compare(): undefined {
    return undefined
  }

  private find(key: Key): number | undefined {
    const block = this.blocks.findLast(({ first }) => this.order(first, key) <= 0)
    if (block === undefined) return undefined
    const { body } = this
    body.at = this.dictionary
    body.take(block.offset)
    const count = body.count()
    return this.scan(body.at, count, 4, key)
  }

  /** The offset of a key among `count` entries of key, offset and `more` bytes. */
  private scan(start: number, count: number, more: number, key: Key): number | undefined {
    const { body } = this
    body.at = start
    for (let left = count; left > 0; left--) {
      const found = this.order(this.read(body), key) === 0
      const offset = body.int()
      if (found) return offset
      body.take(more)
    }
    return undefined
  }

  /** A negative offset stands for a single row. */
  private rows(offset: number): RowSet {
    if (offset < 0) {
      const row = -1 - offset
      if (row >= this.rowCount) this.body.fail(`has row ${row} of a file of ${this.rowCount} rows`)
      const set = RowSet.none(this.rowCount)
      set.add(row)
      return set
    }
    const start = this.bodyStart + offset
    return readRoaring(this.body.sub(start, this.body.bytes.length - start), this.rowCount)
  }
}
