import { utf8 } from '../../types/utf8.js'
import { encodeRow } from './binary-row-writer.js'
import type { Datum } from './datum.js'
import { rowHash } from './row-hash.js'
import type { PaimonType } from './types.js'

export type BucketFunctionName = 'default' | 'mod' | 'hive'

/** The bucket of a row of bucket keys among `buckets`; undefined where the function has none for such values. */
export type BucketFunction = (values: readonly Datum[], buckets: number) => number | undefined

/**
 * The bucket function for keys of `types`; undefined where it does not take keys of such types, so that no bucket can be told.
 * `values` are in the in-memory forms of the types: a literal must have been converted exactly before.
 */
export function bucketFunction(name: BucketFunctionName, types: readonly PaimonType[]): BucketFunction | undefined {
  switch (name) {
    case 'default':
      return (values, buckets) => Math.abs(rowHash(encodeRow(types, values)) % buckets)
    case 'mod':
      return modFunction(types)
    case 'hive':
      return (values, buckets) => {
        let hash = 0
        for (let i = 0; i < types.length; i++) {
          const one = hiveHash(types[i] as PaimonType, values[i] as Datum)
          if (one === undefined) return undefined
          hash = (Math.imul(hash, 31) + one) | 0
        }
        return (hash & 0x7fffffff) % buckets
      }
  }
}

function modFunction(types: readonly PaimonType[]): BucketFunction | undefined {
  const kind = types[0]?.kind
  if (types.length !== 1 || (kind !== 'int' && kind !== 'bigint')) return undefined
  return ([value], buckets) => {
    if (value === null) return undefined
    const divisor = BigInt(buckets)
    const rest = BigInt(value as number | bigint) % divisor
    return Number(rest < 0n ? rest + divisor : rest)
  }
}

/** The hash of Hive's bucketing; undefined for types that it does not know. */
function hiveHash(type: PaimonType, value: Datum): number | undefined {
  if (value === null) return 0
  switch (type.kind) {
    case 'boolean':
      return value === true ? 1 : 0
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'date':
      return value as number
    case 'time':
      return Number((value as bigint) / 1000n)
    case 'bigint':
      return foldLong(value as bigint)
    case 'float':
      return floatBits(value as number)
    case 'double':
      return foldLong(doubleBits(value as number))
    case 'char':
    case 'varchar':
      return bytesHash(utf8(value as string))
    case 'binary':
    case 'varbinary':
      return bytesHash(value as Uint8Array)
    case 'decimal':
      return decimalHash(value as bigint, type.scale)
    default:
      return undefined
  }
}

function foldLong(value: bigint): number {
  return Number(BigInt.asIntN(32, value ^ (BigInt.asUintN(64, value) >> 32n)))
}

const scratch = new DataView(new ArrayBuffer(8))

function floatBits(value: number): number {
  scratch.setFloat32(0, value === 0 ? 0 : value)
  return scratch.getInt32(0)
}

function doubleBits(value: number): bigint {
  scratch.setFloat64(0, value === 0 ? 0 : value)
  return scratch.getBigInt64(0)
}

function bytesHash(bytes: Uint8Array): number {
  let hash = 0
  for (const byte of bytes) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0
  return hash
}

/** The hash of a Java BigDecimal without trailing zeros and with a scale of at least zero. */
function decimalHash(unscaled: bigint, scale: number): number {
  let digits = scale
  let value = unscaled
  while (digits > 0 && value % 10n === 0n) {
    value /= 10n
    digits--
  }
  let hash = 0
  const magnitude = (value < 0n ? -value : value).toString(16)
  const words = magnitude.padStart(Math.ceil(magnitude.length / 8) * 8, '0')
  for (let i = 0; i < words.length; i += 8) {
    hash = (Math.imul(hash, 31) + Number.parseInt(words.slice(i, i + 8), 16)) | 0
  }
  return (Math.imul(value < 0n ? -hash : hash, 31) + digits) | 0
}
