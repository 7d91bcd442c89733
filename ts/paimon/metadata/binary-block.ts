import { bigEndianInteger } from '../../types/bounds.js'
import { floorDiv } from '../../types/decimal.js'
import { utf8Text } from '../../types/utf8.js'
import type { Datum, VariantDatum } from './datum.js'
import { corruptAt, type Place } from './errors.js'
import type { PaimonType } from './types.js'

/** Bytes before a row's fields: a bit for each field after the 8 of the row kind, in words of 8 bytes. */
export function nullBytes(arity: number): number {
  return Math.floor((arity + 63 + 8) / 64) * 8
}

/** Values in nested blocks deeper than this are refused. */
const MAX_DEPTH = 64

/** The bytes that offsets of one row, array or map are relative to. */
export class Block {
  private readonly view: DataView

  constructor(
    private readonly bytes: Uint8Array,
    private readonly place: Place,
    /** Elements that nested blocks may still have: those of a sound row do not overlap, so that they are no more than its bytes. */
    private readonly budget?: { left: number },
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** The value whose slot is at `at`: the caller has checked that the slot is there. */
  value(at: number, type: PaimonType, depth: number): Datum {
    const { view } = this
    switch (type.kind) {
      case 'boolean':
        return view.getUint8(at) !== 0
      case 'tinyint':
        return view.getInt8(at)
      case 'smallint':
        return view.getInt16(at, true)
      case 'int':
      case 'date':
        return view.getInt32(at, true)
      case 'time':
        return BigInt(view.getInt32(at, true)) * 1000n
      case 'bigint':
        return view.getBigInt64(at, true)
      case 'float':
        return view.getFloat32(at, true)
      case 'double':
        return view.getFloat64(at, true)
      case 'decimal': {
        if (type.precision <= 18) return view.getBigInt64(at, true)
        const bytes = this.referred(at)
        return bytes.length <= 16 ? bigEndianInteger(bytes) : this.fail(`has a decimal of ${bytes.length} bytes`)
      }
      case 'char':
      case 'varchar':
        return utf8Text(this.short(at)) ?? this.fail('has a string that is not UTF-8')
      case 'binary':
      case 'varbinary':
      case 'blob':
      case 'geometry':
      case 'geography':
        return this.short(at)
      case 'timestamp':
      case 'timestamp_ltz':
        return this.timestamp(at, type.precision)
      case 'variant':
        return this.variant(at)
      case 'array':
      case 'vector':
        return this.nested(at, depth).elements(type.element, depth + 1)
      case 'multiset':
        return this.nested(at, depth).entries(type.element, { kind: 'int', nullable: false }, depth + 1)
      case 'map':
        return this.nested(at, depth).entries(type.key, type.value, depth + 1)
      case 'row':
        return this.nested(at, depth).fields(
          type.fields.map((field) => field.type),
          depth + 1,
        )
    }
  }

  /** Up to 7 bytes lie in the slot, its last byte then has its highest bit set. */
  private short(at: number): Uint8Array {
    const last = this.bytes[at + 7] as number
    if (last < 0x80) return this.referred(at)
    const length = last & 0x7f
    return length <= 7 ? this.bytes.subarray(at, at + length) : this.fail(`has a short value of ${length} bytes`)
  }

  private referred(at: number): Uint8Array {
    const length = this.view.getUint32(at, true)
    return this.range(this.view.getUint32(at + 4, true), length)
  }

  private range(offset: number, length: number): Uint8Array {
    if (offset + length > this.bytes.length) {
      this.fail(`has a value at bytes ${offset} to ${offset + length} of ${this.bytes.length}`)
    }
    return this.bytes.subarray(offset, offset + length)
  }

  private timestamp(at: number, precision: number): bigint {
    if (precision <= 3) return this.view.getBigInt64(at, true) * 1000n
    const nanos = this.view.getUint32(at, true)
    const offset = this.view.getUint32(at + 4, true)
    if (offset + 8 > this.bytes.length || nanos > 999_999)
      this.fail(`has a timestamp at byte ${offset}, nanos ${nanos}`)
    const millis = this.view.getBigInt64(offset, true)
    return precision <= 6 ? millis * 1000n + floorDiv(BigInt(nanos), 1000n) : millis * 1_000_000n + BigInt(nanos)
  }

  private variant(at: number): VariantDatum {
    const bytes = this.referred(at)
    if (bytes.length < 4) this.fail(`has a variant of ${bytes.length} bytes`)
    const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true)
    if (length < 0 || length > bytes.length - 4) this.fail(`has a variant whose value takes ${length} bytes`)
    return { value: bytes.subarray(4, 4 + length), metadata: bytes.subarray(4 + length) }
  }

  private nested(at: number, depth: number): Block {
    if (depth >= MAX_DEPTH) this.fail(`has values nested deeper than ${MAX_DEPTH} levels`)
    return new Block(this.referred(at), this.place, this.budget ?? { left: this.bytes.length })
  }

  /** This block as a row. */
  private fields(types: readonly PaimonType[], depth: number): readonly Datum[] {
    const start = nullBytes(types.length)
    this.spend(types.length)
    if (this.bytes.length < start + types.length * 8) {
      this.fail(`has a row of ${types.length} fields in ${this.bytes.length} bytes`)
    }
    return types.map((type, i) => (this.bit(0, i + 8) ? null : this.value(start + i * 8, type, depth)))
  }

  /** This block as an array. */
  private elements(type: PaimonType, depth: number): readonly Datum[] {
    if (this.bytes.length < 4) this.fail(`has an array of ${this.bytes.length} bytes`)
    const count = this.view.getInt32(0, true)
    const width = elementWidth(type)
    const start = 4 + Math.ceil(count / 32) * 4
    if (count < 0 || start + count * width > this.bytes.length) {
      this.fail(`has an array of ${count} elements in ${this.bytes.length} bytes`)
    }
    this.spend(count)
    const values: Datum[] = []
    for (let i = 0; i < count; i++) values.push(this.bit(4, i) ? null : this.value(start + i * width, type, depth))
    return values
  }

  /** This block as a map: the length of the keys' array, the keys, the values. */
  private entries(key: PaimonType, value: PaimonType, depth: number): readonly Datum[] {
    if (this.bytes.length < 4) this.fail(`has a map of ${this.bytes.length} bytes`)
    const length = this.view.getInt32(0, true)
    if (length < 0 || 4 + length > this.bytes.length) this.fail(`has a map whose keys take ${length} bytes`)
    const keys = new Block(this.bytes.subarray(4, 4 + length), this.place, this.budget).elements(key, depth)
    const values = new Block(this.bytes.subarray(4 + length), this.place, this.budget).elements(value, depth)
    if (keys.length !== values.length) this.fail(`has a map of ${keys.length} keys and ${values.length} values`)
    return keys.map((one, i) => [one, values[i] as Datum])
  }

  private spend(count: number): void {
    const { budget } = this
    // A row's own block is read by its fields, never whole.
    if (budget === undefined) return
    budget.left -= count
    if (budget.left < 0) this.fail('has nested values that overlap')
  }

  private bit(start: number, index: number): boolean {
    return ((this.bytes[start + (index >> 3)] as number) & (1 << (index & 7))) !== 0
  }

  fail(what: string): never {
    return corruptAt(this.place, what)
  }
}

/** Bytes that an element takes in the fixed part of an array. */
export function elementWidth(type: PaimonType): number {
  switch (type.kind) {
    case 'boolean':
    case 'tinyint':
      return 1
    case 'smallint':
      return 2
    case 'int':
    case 'float':
    case 'date':
    case 'time':
      return 4
    default:
      return 8
  }
}
