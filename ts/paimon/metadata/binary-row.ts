import { Block, nullBytes } from './binary-block.js'
import type { Datum } from './datum.js'
import { corruptAt, type Place } from './errors.js'
import type { PaimonType } from './types.js'

/**
 * Rows in Paimon's binary form: little-endian, 8 bytes a field, longer values after them. Nothing outside the row's bytes is read;
 * a row that is not well formed is CORRUPT_FILE naming the place given.
 */
export class BinaryRow {
  /** A row without fields. */
  static readonly EMPTY = new BinaryRow(new Uint8Array(8), 0, { file: '', field: '' })
  private readonly block: Block

  constructor(
    /** The row's image, without the arity before it. */
    readonly bytes: Uint8Array,
    readonly arity: number,
    place: Place,
  ) {
    this.block = new Block(bytes, place)
    const fixed = nullBytes(arity) + arity * 8
    if (bytes.length < fixed) {
      corruptAt(place, `is a row of ${arity} fields in ${bytes.length} bytes`, bytes.length)
    }
  }

  /** Reads the serialized form: the arity, big-endian, and the row. No bytes at all are a row without fields. */
  static deserialize(bytes: Uint8Array, place: Place): BinaryRow {
    if (bytes.length === 0) return BinaryRow.EMPTY
    if (bytes.length < 4) corruptAt(place, `is a row of ${bytes.length} bytes`, bytes.length)
    const [a, b, c, d] = [bytes[0], bytes[1], bytes[2], bytes[3]] as [number, number, number, number]
    const arity = (a << 24) | (b << 16) | (c << 8) | d
    if (arity < 0 || arity > bytes.length) corruptAt(place, `is a row of ${arity} fields`, arity)
    return new BinaryRow(bytes.subarray(4), arity, place)
  }

  /** The kind of change: 0 insert, 1 update before, 2 update after, 3 delete. */
  get kind(): number {
    return this.bytes[0] as number
  }

  isNull(index: number): boolean {
    const bit = index + 8
    return ((this.bytes[bit >> 3] as number) & (1 << (bit & 7))) !== 0
  }

  /** The value of field `index`, which is of `type`; null for a null. */
  get(index: number, type: PaimonType): Datum {
    if (this.isNull(index)) return null
    return this.block.value(nullBytes(this.arity) + index * 8, type, 0)
  }

  /** All values; CORRUPT_FILE if the row has another number of fields than `types`. */
  values(types: readonly PaimonType[]): readonly Datum[] {
    if (types.length !== this.arity) this.block.fail(`is a row of ${this.arity} fields, not of ${types.length}`)
    return types.map((type, i) => this.get(i, type))
  }
}

/** Reads a serialized row of `types`. */
export function decodeRow(bytes: Uint8Array, types: readonly PaimonType[], place: Place): readonly Datum[] {
  return BinaryRow.deserialize(bytes, place).values(types)
}
