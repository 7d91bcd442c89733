import { LakefoldError } from '../base/errors.js'

/** A variant value with its exact type (Parquet spec, "Variant Binary Encoding"). */
export type Variant =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float' | 'double'; readonly value: number }
  | { readonly kind: 'decimal'; readonly unscaled: bigint; readonly scale: number }
  | { readonly kind: 'date'; readonly days: number }
  | { readonly kind: 'time'; readonly micros: bigint }
  | { readonly kind: 'timestamp'; readonly ticks: bigint; readonly perSecond: bigint; readonly utc: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'binary' | 'uuid'; readonly value: Uint8Array }
  | { readonly kind: 'array'; readonly elements: readonly Variant[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [name: string, value: Variant])[] }

const MAX_DEPTH = 500
const MICROS = 1_000_000n
const NANOS = 1_000_000_000n
const text = new TextDecoder('utf-8', { fatal: true })

function corrupt(message: string, context: Record<string, unknown> = {}): LakefoldError {
  return new LakefoldError('CORRUPT_FILE', `Broken variant: ${message}`, { context })
}

/** Bytes with checked reads; all numbers are little-endian. */
class Bytes {
  readonly #view: DataView
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  slice(at: number, length: number): Uint8Array {
    if (at < 0 || length < 0 || at + length > this.bytes.length) {
      throw corrupt(`bytes ${at}..${at + length} lie outside of its ${this.bytes.length}`)
    }
    return this.bytes.subarray(at, at + length)
  }

  view(at: number, length: number): DataView {
    this.slice(at, length)
    return new DataView(this.#view.buffer, this.#view.byteOffset + at, length)
  }

  /** An unsigned number of 1 to 4 bytes. */
  unsigned(at: number, width: number): number {
    return this.slice(at, width).reduce((value, byte, index) => value + byte * 2 ** (8 * index), 0)
  }

  string(at: number, length: number): string {
    try {
      return text.decode(this.slice(at, length))
    } catch (cause) {
      if (LakefoldError.is(cause)) throw cause
      throw corrupt('text that is not UTF-8')
    }
  }
}

/** The names of a variant's fields, read when asked for: rows often share nothing but their metadata. */
class Names {
  readonly #bytes: Bytes
  readonly #width: number
  readonly #count: number

  constructor(metadata: Uint8Array) {
    this.#bytes = new Bytes(metadata)
    const header = this.#bytes.unsigned(0, 1)
    if ((header & 0x0f) !== 1) throw corrupt(`version ${header & 0x0f} of its metadata`)
    this.#width = ((header >> 6) & 3) + 1
    this.#count = this.#bytes.unsigned(1, this.#width)
  }

  get(id: number): string {
    if (id >= this.#count) throw corrupt(`field ${id} of ${this.#count}`)
    const offsets = 1 + this.#width
    const from = this.#bytes.unsigned(offsets + id * this.#width, this.#width)
    const to = this.#bytes.unsigned(offsets + (id + 1) * this.#width, this.#width)
    return this.#bytes.string(offsets + (this.#count + 1) * this.#width + from, to - from)
  }
}

class Decoder {
  readonly #names: Names
  readonly #value: Bytes
  #nodes = 0

  constructor(metadata: Uint8Array, value: Uint8Array) {
    this.#names = new Names(metadata)
    this.#value = new Bytes(value)
  }

  at(position: number, depth: number): Variant {
    if (depth > MAX_DEPTH) throw corrupt(`nested deeper than ${MAX_DEPTH}`)
    this.#nodes += 1
    // Every value takes a byte of its own; more of them than bytes means that offsets point to the same ones.
    if (this.#nodes > this.#value.bytes.length) throw corrupt('values that overlap')
    const header = this.#value.unsigned(position, 1)
    const info = header >> 2
    switch (header & 3) {
      case 0:
        return this.#primitive(info, position + 1)
      case 1:
        return { kind: 'string', value: this.#value.string(position + 1, info) }
      case 2:
        return this.#object(info, position + 1, depth)
      default:
        return this.#array(info, position + 1, depth)
    }
  }

  #object(info: number, position: number, depth: number): Variant {
    const offsetWidth = (info & 3) + 1
    const idWidth = ((info >> 2) & 3) + 1
    const countWidth = (info >> 4) & 1 ? 4 : 1
    const count = this.#value.unsigned(position, countWidth)
    const ids = position + countWidth
    const offsets = ids + count * idWidth
    const values = offsets + (count + 1) * offsetWidth
    this.#value.slice(ids, values - ids)
    const fields: (readonly [string, Variant])[] = []
    for (let i = 0; i < count; i++) {
      const name = this.#names.get(this.#value.unsigned(ids + i * idWidth, idWidth))
      fields.push([name, this.at(values + this.#value.unsigned(offsets + i * offsetWidth, offsetWidth), depth + 1)])
    }
    return { kind: 'object', fields }
  }

  #array(info: number, position: number, depth: number): Variant {
    const offsetWidth = (info & 3) + 1
    const countWidth = (info >> 2) & 1 ? 4 : 1
    const count = this.#value.unsigned(position, countWidth)
    const offsets = position + countWidth
    const values = offsets + (count + 1) * offsetWidth
    this.#value.slice(offsets, values - offsets)
    const elements: Variant[] = []
    for (let i = 0; i < count; i++) {
      elements.push(this.at(values + this.#value.unsigned(offsets + i * offsetWidth, offsetWidth), depth + 1))
    }
    return { kind: 'array', elements }
  }

  #decimal(at: number, width: number): Variant {
    const scale = this.#value.unsigned(at, 1)
    if (scale > 38) throw corrupt(`a decimal of scale ${scale}`)
    const view = this.#value.view(at + 1, width)
    if (width === 4) return { kind: 'decimal', unscaled: BigInt(view.getInt32(0, true)), scale }
    if (width === 8) return { kind: 'decimal', unscaled: view.getBigInt64(0, true), scale }
    return { kind: 'decimal', unscaled: (view.getBigInt64(8, true) << 64n) | view.getBigUint64(0, true), scale }
  }

  #primitive(type: number, at: number): Variant {
    const value = this.#value
    const long = () => value.view(at, 8).getBigInt64(0, true)
    const block = () => [at + 4, value.unsigned(at, 4)] as const
    switch (type) {
      case 0:
        return { kind: 'null' }
      case 1:
      case 2:
        return { kind: 'boolean', value: type === 1 }
      case 3:
        return { kind: 'int', value: BigInt(value.view(at, 1).getInt8(0)) }
      case 4:
        return { kind: 'int', value: BigInt(value.view(at, 2).getInt16(0, true)) }
      case 5:
        return { kind: 'int', value: BigInt(value.view(at, 4).getInt32(0, true)) }
      case 6:
        return { kind: 'int', value: long() }
      case 7:
        return { kind: 'double', value: value.view(at, 8).getFloat64(0, true) }
      case 8:
        return this.#decimal(at, 4)
      case 9:
        return this.#decimal(at, 8)
      case 10:
        return this.#decimal(at, 16)
      case 11:
        return { kind: 'date', days: value.view(at, 4).getInt32(0, true) }
      case 12:
      case 13:
        return { kind: 'timestamp', ticks: long(), perSecond: MICROS, utc: type === 12 }
      case 14:
        return { kind: 'float', value: value.view(at, 4).getFloat32(0, true) }
      case 15:
        return { kind: 'binary', value: value.slice(...block()) }
      case 16:
        return { kind: 'string', value: value.string(...block()) }
      case 17:
        return { kind: 'time', micros: long() }
      case 18:
      case 19:
        return { kind: 'timestamp', ticks: long(), perSecond: NANOS, utc: type === 18 }
      case 20:
        return { kind: 'uuid', value: value.slice(at, 16) }
      default:
        throw new LakefoldError('UNSUPPORTED', `Variant values of type ${type}`, { context: { type } })
    }
  }
}

/** Decodes a variant. Throws CORRUPT_FILE for bytes that are none, UNSUPPORTED for a type of a later version. */
export function decodeVariant(metadata: Uint8Array, value: Uint8Array): Variant {
  return new Decoder(metadata, value).at(0, 0)
}
