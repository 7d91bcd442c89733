import { floorDiv, minimalBigEndian } from '../../types/decimal.js'
import { badTransform } from '../../types/transform-text.js'
import type { Type, Value } from '../../types/types.js'
import { utf8 } from '../../types/utf8.js'
import { murmur3 } from './murmur3.js'

function longBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value, true)
  return bytes
}

/** The bytes that bucket hashes for a value of `type` (Iceberg spec, Appendix B). */
function hashInput(type: Type, value: Value): Uint8Array {
  switch (type.kind) {
    case 'int':
    case 'date':
      return longBytes(BigInt(value as number))
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return longBytes(value as bigint)
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return longBytes(floorDiv(value as bigint, 1000n))
    case 'decimal':
      return minimalBigEndian(value as bigint)
    case 'string':
      return utf8(value as string)
    case 'uuid':
    case 'fixed':
    case 'binary':
      return value as Uint8Array
    default:
      return badTransform({ kind: 'bucket', count: 0 }, type)
  }
}

/** The 32-bit hash of a value, before the modulus. */
export function bucketHash(type: Type, value: Value): number {
  return murmur3(hashInput(type, value))
}

/** `bucket[count]` of a value: 0 to count - 1. */
export function bucket(count: number, type: Type, value: Value): number {
  return (bucketHash(type, value) & 0x7fffffff) % count
}
