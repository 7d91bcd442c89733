import type { PrimitiveType, Value } from './types.js'
import { utf8Text } from './utf8.js'

const MICROS_PER_DAY = 86_400_000_000n
const NANOS_PER_DAY = 86_400_000_000_000n

const SCRATCH = new Uint8Array(8)
const SCRATCH_VIEW = new DataView(SCRATCH.buffer)

/** A view of at most 8 bytes, valid until the next call: making one for every bound takes longer than reading it. */
function view(bytes: Uint8Array): DataView {
  for (let i = 0; i < bytes.length; i++) SCRATCH[i] = bytes[i] as number
  return SCRATCH_VIEW
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

/** Big-endian two's complement of any length. */
export function bigEndianInteger(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  return hex === '' ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`))
}

/** A decimal longer than this cannot fit 38 digits in any sensible encoding. */
const MAX_DECIMAL_BYTES = 64

/**
 * The value of a lower or upper bound (Iceberg spec, Appendix D, "Binary single-value serialization"), decoded by its
 * length, since type promotion does not rewrite bounds. Undefined for what cannot be a value of the type, for NaN, and
 * for types whose bounds are not comparable scalars.
 */
export function decodeBound(type: PrimitiveType, bytes: Uint8Array): Value | undefined {
  const length = bytes.length
  switch (type.kind) {
    case 'boolean':
      return length === 1 ? bytes[0] !== 0 : undefined
    case 'int':
    case 'date':
      return length === 4 ? view(bytes).getInt32(0, true) : undefined
    case 'long':
      if (length === 4) return BigInt(view(bytes).getInt32(0, true))
      return length === 8 ? view(bytes).getBigInt64(0, true) : undefined
    case 'timestamp':
    case 'timestamp_ns':
      if (length === 4) {
        return BigInt(view(bytes).getInt32(0, true)) * (type.kind === 'timestamp' ? MICROS_PER_DAY : NANOS_PER_DAY)
      }
      return length === 8 ? view(bytes).getBigInt64(0, true) : undefined
    case 'time':
    case 'timestamptz':
    case 'timestamptz_ns':
      return length === 8 ? view(bytes).getBigInt64(0, true) : undefined
    case 'float':
      return length === 4 ? known(view(bytes).getFloat32(0, true)) : undefined
    case 'double':
      if (length === 4) return known(view(bytes).getFloat32(0, true))
      return length === 8 ? known(view(bytes).getFloat64(0, true)) : undefined
    case 'decimal': {
      if (length === 0 || length > MAX_DECIMAL_BYTES) return undefined
      const unscaled = bigEndianInteger(bytes)
      const limit = 10n ** BigInt(type.precision)
      return unscaled < limit && unscaled > -limit ? unscaled : undefined
    }
    case 'string':
      return utf8Text(bytes)
    case 'uuid':
      return length === 16 ? bytes : undefined
    case 'fixed':
    case 'binary':
      return bytes
    default:
      return undefined
  }
}
