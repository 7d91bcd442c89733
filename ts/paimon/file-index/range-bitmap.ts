import { placedError } from '../metadata/errors.js'
import type { PaimonType } from '../metadata/types.js'
import type { Cursor } from './cursor.js'
import { type Key, keyOrder, keyReader } from './key.js'
import { readRoaring } from './roaring.js'
import type { RowIndex } from './row-index.js'
import { RowSet } from './row-set.js'
import { type Compared, compareSlices } from './slices.js'

/** A sorted dictionary of a column's values and the bit slices of each row's code in it. */
export class RangeBitmapIndex implements RowIndex {
  readonly rowCount: number
  private readonly keys: readonly Key[]
  private readonly order: (a: Key, b: Key) => number
  private readonly present: RowSet
  private readonly slices: readonly RowSet[]

  /** The index of a column of `type`; undefined for types that such an index does not take. */
  static of(type: PaimonType, body: Cursor, rowCount: number): RangeBitmapIndex | undefined {
    const read = keyReader(type)
    return read === undefined ? undefined : new RangeBitmapIndex(type, read, body, rowCount)
  }

  private constructor(type: PaimonType, read: (cursor: Cursor) => Key, body: Cursor, rowCount: number) {
    this.order = keyOrder(type)
    body.at = 0
    const headerLength = body.count()
    const start = body.at
    checkVersion(body)
    this.rowCount = body.int()
    if (this.rowCount !== rowCount) body.fail(`is over ${this.rowCount} rows of a file of ${rowCount}`)
    const cardinality = body.int()
    if (cardinality <= 0) {
      this.keys = []
      this.present = RowSet.none(rowCount)
      this.slices = []
      return
    }
    read(body)
    read(body)
    const dictionaryLength = body.count()
    const dictionaryStart = start + headerLength
    const variable = type.kind === 'char' || type.kind === 'varchar'
    this.keys = readDictionary(body.sub(dictionaryStart, dictionaryLength), read, variable)
    if (this.keys.length !== cardinality) body.fail(`has ${this.keys.length} keys, not ${cardinality}`)
    const slicesStart = dictionaryStart + dictionaryLength
    const { present, slices } = readSlices(body.sub(slicesStart, body.bytes.length - slicesStart), rowCount)
    this.present = present
    this.slices = slices
  }

  nulls(): RowSet {
    return this.present.not()
  }

  equal(key: Key): RowSet {
    return this.compare(key).equal
  }

  compare(key: Key): Compared {
    let [low, high] = [0, this.keys.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.order(this.keys[middle] as Key, key) < 0) low = middle + 1
      else high = middle
    }
    const found = low < this.keys.length && this.order(this.keys[low] as Key, key) === 0
    const compared = compareSlices(this.present, this.slices, BigInt(low))
    if (found) return compared
    // The code is that of the next greater value.
    return { below: compared.below, equal: RowSet.none(this.rowCount), above: compared.above.or(compared.equal) }
  }
}

function readDictionary(body: Cursor, read: (cursor: Cursor) => Key, variable: boolean): readonly Key[] {
  const headerLength = body.count()
  const start = body.at
  checkVersion(body)
  const size = body.int()
  const [offsetsLength, chunksLength] = [body.int(), body.int()]
  const bodyStart = start + headerLength
  const offsets = body.sub(bodyStart, offsetsLength)
  const chunks = body.sub(bodyStart + offsetsLength, chunksLength)
  const keysStart = bodyStart + offsetsLength + chunksLength
  const area = body.sub(keysStart, body.bytes.length - keysStart)
  const keys: Key[] = []
  for (let chunk = 0; chunk < size; chunk++) {
    chunks.at = 0
    chunks.take(offsets.int())
    checkVersion(chunks)
    const first = read(chunks)
    const code = chunks.int()
    if (code !== keys.length) body.fail(`has a chunk of keys from code ${code}, not ${keys.length}`)
    keys.push(first)
    const [offset, count] = [chunks.int(), chunks.int()]
    if (count < 0 || count > area.bytes.length) body.fail(`has a chunk of ${count} keys`)
    area.at = 0
    area.take(offset)
    // Before keys of their own lengths stand their offsets, which are not needed to read them in order.
    const length = variable ? chunks.int() : 0
    area.take(length)
    for (let i = 0; i < count; i++) keys.push(read(area))
  }
  return keys
}

function readSlices(body: Cursor, size: number): { present: RowSet; slices: readonly RowSet[] } {
  const headerLength = body.count()
  const start = body.at
  checkVersion(body)
  const count = body.byte()
  if (count < 0 || count > 32) body.fail(`has ${count} bit slices`)
  const presentLength = body.int()
  const tableLength = body.int()
  const table = body.sub(body.at, tableLength)
  const bodyStart = start + headerLength
  const present = readRoaring(body.sub(bodyStart, presentLength), size)
  const slices: RowSet[] = []
  for (let i = 0; i < count; i++) {
    const [offset, length] = [table.int(), table.int()]
    slices.push(readRoaring(body.sub(bodyStart + presentLength + offset, length), size))
  }
  return { present, slices }
}

function checkVersion(body: Cursor): void {
  const version = body.byte()
  if (version !== 1) throw placedError('UNSUPPORTED', body.place, `has the version ${version}`, version)
}
