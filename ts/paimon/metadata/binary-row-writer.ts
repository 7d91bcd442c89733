import { LakefoldError } from '../../base/errors.js'
import { floorDiv, minimalBigEndian } from '../../types/decimal.js'
import { utf8 } from '../../types/utf8.js'
import { elementWidth, nullBytes } from './binary-block.js'
import type { Datum, VariantDatum } from './datum.js'
import type { PaimonType } from './types.js'

const INT: PaimonType = { kind: 'int', nullable: false }

/**
 * The row image of `values`, row kind 0, byte for byte as the reference writes it: what bucket hashes are computed over.
 * `values` are of the in-memory forms that `BinaryRow.get` gives; another one is INTERNAL.
 */
export function encodeRow(types: readonly PaimonType[], values: readonly Datum[]): Uint8Array {
  if (types.length !== values.length) throw unfit(types, values)
  const writer = new BlockWriter(nullBytes(types.length) + types.length * 8)
  const start = nullBytes(types.length)
  types.forEach((type, i) => {
    const value = values[i] as Datum
    const at = start + i * 8
    if (value === null) {
      writer.setBit(0, i + 8)
      writer.reserveNull(at, type)
    } else writer.write(at, type, value)
  })
  return writer.finish()
}

/** The serialized form: the arity, big-endian, and the row image. */
export function serializeRow(types: readonly PaimonType[], values: readonly Datum[]): Uint8Array {
  const image = encodeRow(types, values)
  const bytes = new Uint8Array(4 + image.length)
  new DataView(bytes.buffer).setInt32(0, types.length)
  bytes.set(image, 4)
  return bytes
}

function encodeArray(type: PaimonType, values: readonly Datum[]): Uint8Array {
  const width = elementWidth(type)
  const start = 4 + Math.ceil(values.length / 32) * 4
  const writer = new BlockWriter(padded(start + values.length * width))
  writer.view.setInt32(0, values.length, true)
  values.forEach((value, i) => {
    if (value === null) writer.setBit(4, i)
    else writer.write(start + i * width, type, value)
  })
  return writer.finish()
}

function encodeMap(key: PaimonType, value: PaimonType, entries: readonly Datum[]): Uint8Array {
  const keys = encodeArray(
    key,
    entries.map((entry) => (entry as readonly Datum[])[0] as Datum),
  )
  const values = encodeArray(
    value,
    entries.map((entry) => (entry as readonly Datum[])[1] as Datum),
  )
  const bytes = new Uint8Array(4 + keys.length + values.length)
  new DataView(bytes.buffer).setInt32(0, keys.length, true)
  bytes.set(keys, 4)
  bytes.set(values, 4 + keys.length)
  return bytes
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8
}

class BlockWriter {
  private bytes: Uint8Array
  view: DataView
  private end: number

  constructor(fixed: number) {
    this.bytes = new Uint8Array(Math.max(64, fixed))
    this.view = new DataView(this.bytes.buffer)
    this.end = fixed
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.end)
  }

  setBit(start: number, index: number): void {
    const at = start + (index >> 3)
    this.bytes[at] = (this.bytes[at] as number) | (1 << (index & 7))
  }

  /** Long decimals and timestamps keep their place in the variable part, so that they can be set later. */
  reserveNull(at: number, type: PaimonType): void {
    if (type.kind === 'decimal' && type.precision > 18) this.refer(at, this.reserve(16), 0)
    else if ((type.kind === 'timestamp' || type.kind === 'timestamp_ltz') && type.precision > 3) {
      this.refer(at, this.reserve(8), 0)
    }
  }

  write(at: number, type: PaimonType, value: Datum): void {
    const { view } = this
    switch (type.kind) {
      case 'boolean':
        view.setUint8(at, value === true ? 1 : 0)
        return
      case 'tinyint':
        view.setInt8(at, value as number)
        return
      case 'smallint':
        view.setInt16(at, value as number, true)
        return
      case 'int':
      case 'date':
        view.setInt32(at, value as number, true)
        return
      case 'time':
        view.setInt32(at, Number(floorDiv(value as bigint, 1000n)), true)
        return
      case 'bigint':
        view.setBigInt64(at, value as bigint, true)
        return
      case 'float':
        view.setFloat32(at, value as number, true)
        return
      case 'double':
        view.setFloat64(at, value as number, true)
        return
      case 'decimal':
        if (type.precision <= 18) view.setBigInt64(at, value as bigint, true)
        else this.longDecimal(at, value as bigint)
        return
      case 'char':
      case 'varchar':
        this.short(at, utf8(value as string))
        return
      case 'binary':
      case 'varbinary':
      case 'blob':
      case 'geometry':
      case 'geography':
        this.short(at, value as Uint8Array)
        return
      case 'timestamp':
      case 'timestamp_ltz':
        this.timestamp(at, type.precision, value as bigint)
        return
      case 'variant':
        this.append(at, variantBytes(value as VariantDatum))
        return
      case 'array':
      case 'vector':
        this.append(at, encodeArray(type.element, value as readonly Datum[]))
        return
      case 'multiset':
        this.append(at, encodeMap(type.element, INT, value as readonly Datum[]))
        return
      case 'map':
        this.append(at, encodeMap(type.key, type.value, value as readonly Datum[]))
        return
      case 'row':
        this.append(
          at,
          encodeRow(
            type.fields.map((field) => field.type),
            value as readonly Datum[],
          ),
        )
        return
    }
  }

  private short(at: number, value: Uint8Array): void {
    if (value.length > 7) {
      this.append(at, value)
      return
    }
    this.bytes.set(value, at)
    this.bytes[at + 7] = 0x80 | value.length
  }

  private append(at: number, value: Uint8Array): void {
    const offset = this.reserve(padded(value.length))
    this.bytes.set(value, offset)
    this.refer(at, offset, value.length)
  }

  private timestamp(at: number, precision: number, ticks: bigint): void {
    const perMilli = precision <= 6 ? 1000n : 1_000_000n
    const millis = floorDiv(ticks, perMilli)
    if (precision <= 3) {
      this.view.setBigInt64(at, millis, true)
      return
    }
    const nanos = Number(ticks - millis * perMilli) * (precision <= 6 ? 1000 : 1)
    const offset = this.reserve(8)
    this.view.setBigInt64(offset, millis, true)
    this.refer(at, offset, nanos)
  }

  private longDecimal(at: number, unscaled: bigint): void {
    const bytes = minimalBigEndian(unscaled)
    if (bytes.length > 16) {
      throw new LakefoldError('INTERNAL', `The decimal ${unscaled} has more than 16 bytes`, {
        context: { value: unscaled },
      })
    }
    const offset = this.reserve(16)
    this.bytes.set(bytes, offset)
    this.refer(at, offset, bytes.length)
  }

  private refer(at: number, offset: number, low: number): void {
    this.view.setUint32(at, low, true)
    this.view.setUint32(at + 4, offset, true)
  }

  /** The offset of `length` more bytes, all zero. */
  private reserve(length: number): number {
    const offset = this.end
    this.end += length
    if (this.end > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.end, this.bytes.length * 2))
      grown.set(this.bytes)
      this.bytes = grown
      this.view = new DataView(grown.buffer)
    }
    return offset
  }
}

function variantBytes({ value, metadata }: VariantDatum): Uint8Array {
  const bytes = new Uint8Array(4 + value.length + metadata.length)
  new DataView(bytes.buffer).setInt32(0, value.length, true)
  bytes.set(value, 4)
  bytes.set(metadata, 4 + value.length)
  return bytes
}

function unfit(types: readonly PaimonType[], values: readonly Datum[]): LakefoldError {
  return new LakefoldError('INTERNAL', `${values.length} values for a row of ${types.length} fields`, {
    context: { fields: types.length, values: values.length },
  })
}
