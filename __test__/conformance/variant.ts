import { formatDate, formatTimestamp } from './calendar.js'
import { NumberText } from './json.js'

/** Decodes a variant (Parquet format, "Variant Binary Encoding") to JSON as Spark's to_json writes it. */
export function decodeVariant(metadata: Uint8Array, value: Uint8Array): unknown {
  return decode(Buffer.from(value), 0, names(Buffer.from(metadata)))
}

function names(bytes: Buffer): string[] {
  const size = (((bytes[0] as number) >> 6) & 3) + 1
  const count = bytes.readUIntLE(1, size)
  const offset = (i: number) => bytes.readUIntLE(1 + size * (1 + i), size)
  const start = 1 + size * (count + 2)
  return Array.from({ length: count }, (_, i) => bytes.toString('utf8', start + offset(i), start + offset(i + 1)))
}

const number = (value: number | bigint) => new NumberText(String(value))

function decimal(unscaled: bigint, scale: number): NumberText {
  return new NumberText(`${unscaled}E${-scale}`)
}

/** Double in Java's spelling or JavaScript's is one number. */
function double(value: number): unknown {
  return Number.isFinite(value) ? new NumberText(String(value)) : String(value)
}

const stamp = (micros: bigint, zone: string) =>
  formatTimestamp(micros, 6).replace('T', ' ').replace(/0+$/, '').replace(/\.$/, '') + zone

function decode(bytes: Buffer, at: number, keys: readonly string[]): unknown {
  const header = bytes[at] as number
  const [basic, info] = [header & 3, header >> 2]
  const body = at + 1
  if (basic === 1) return bytes.toString('utf8', body, body + info)
  if (basic === 2) return decodeObject(bytes, body, info, keys)
  if (basic === 3) return decodeArray(bytes, body, info, keys)
  switch (info) {
    case 0:
      return null
    case 1:
    case 2:
      return info === 1
    case 3:
      return number(bytes.readInt8(body))
    case 4:
      return number(bytes.readInt16LE(body))
    case 5:
      return number(bytes.readInt32LE(body))
    case 6:
      return number(bytes.readBigInt64LE(body))
    case 7:
      return double(bytes.readDoubleLE(body))
    case 8:
      return decimal(BigInt(bytes.readInt32LE(body + 1)), bytes[body] as number)
    case 9:
      return decimal(bytes.readBigInt64LE(body + 1), bytes[body] as number)
    case 10:
      return decimal((bytes.readBigInt64LE(body + 9) << 64n) | bytes.readBigUInt64LE(body + 1), bytes[body] as number)
    case 11:
      return formatDate(BigInt(bytes.readInt32LE(body)))
    case 12:
      return stamp(bytes.readBigInt64LE(body), '+00:00')
    case 13:
      return stamp(bytes.readBigInt64LE(body), '')
    case 14:
      return double(bytes.readFloatLE(body))
    case 15:
      return bytes.subarray(body + 4, body + 4 + bytes.readUInt32LE(body)).toString('base64')
    case 16:
      return bytes.toString('utf8', body + 4, body + 4 + bytes.readUInt32LE(body))
    default:
      throw new Error(`variant type ${info}`)
  }
}

function decodeObject(bytes: Buffer, at: number, info: number, keys: readonly string[]): unknown {
  const [offsetSize, idSize, countSize] = [(info & 3) + 1, ((info >> 2) & 3) + 1, info & 16 ? 4 : 1]
  const count = bytes.readUIntLE(at, countSize)
  const ids = at + countSize
  const offsets = ids + count * idSize
  const values = offsets + (count + 1) * offsetSize
  const out: { [key: string]: unknown } = {}
  for (let i = 0; i < count; i++) {
    const key = keys[bytes.readUIntLE(ids + i * idSize, idSize)] as string
    out[key] = decode(bytes, values + bytes.readUIntLE(offsets + i * offsetSize, offsetSize), keys)
  }
  return out
}

function decodeArray(bytes: Buffer, at: number, info: number, keys: readonly string[]): unknown[] {
  const [offsetSize, countSize] = [(info & 3) + 1, info & 4 ? 4 : 1]
  const count = bytes.readUIntLE(at, countSize)
  const offsets = at + countSize
  const values = offsets + (count + 1) * offsetSize
  return Array.from({ length: count }, (_, i) =>
    decode(bytes, values + bytes.readUIntLE(offsets + i * offsetSize, offsetSize), keys),
  )
}
