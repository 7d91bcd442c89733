import type * as PaimonApi from '../../../ts/paimon/index.js'
import { parseDate, parseTime, parseTimestamp } from '../calendar.js'
import type { ColumnType } from '../schema.js'
import type { BucketAnswer, BucketVector } from './engine.js'
import { parseType } from './type.js'

/** The bytes, hash and buckets that lakefold gives for a bucket key. */
export function bucketAnswer(api: typeof PaimonApi, vector: BucketVector): BucketAnswer {
  const types = vector.types.map((text) => parseType(text))
  const paimonTypes = types.map(paimonType) as PaimonApi.PaimonType[]
  const values = vector.value.map((value, i) => datum(value, types[i] as ColumnType)) as PaimonApi.Datum[]
  const bucket = api.bucketFunction(vector.function, paimonTypes)
  const buckets = vector.counts.map((count) => bucket?.(values, count))
  if (vector.function !== 'default') return { buckets }
  if (vector.bits !== undefined) {
    // Which NaN it is, no number in JavaScript can tell: the bytes are hashed as they stand.
    const image = nanImage(vector.bits)
    const hash = api.rowHash(image)
    return { binaryRow: hex(image), hash, buckets: vector.counts.map((count) => Math.abs(hash % count)) }
  }
  const image = api.encodeRow(paimonTypes, values)
  return { binaryRow: hex(image), hash: api.rowHash(image), buckets }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function nanImage(bits: string): Uint8Array {
  const image = Buffer.alloc(16)
  Buffer.from(bits, 'hex').reverse().copy(image, 8)
  return image
}

function paimonType(type: ColumnType) {
  if (type.kind !== 'primitive') throw new Error(`a bucket key of type ${type.kind}`)
  const [first, second] = type.args
  const nullable = true
  switch (type.name) {
    case 'string':
      return { kind: 'varchar', nullable, length: 2 ** 31 - 1 }
    case 'bytes':
      return { kind: 'varbinary', nullable, length: 2 ** 31 - 1 }
    case 'char':
    case 'varchar':
    case 'binary':
    case 'varbinary':
      return { kind: type.name, nullable, length: first ?? 1 }
    case 'decimal':
      return { kind: 'decimal', nullable, precision: first ?? 10, scale: second ?? 0 }
    case 'time':
    case 'timestamp':
    case 'timestamp_ltz':
      return { kind: type.name, nullable, precision: first ?? 0 }
    default:
      return { kind: type.name, nullable }
  }
}

/** A value in the encoding of the cases as lakefold holds it in memory. */
function datum(value: unknown, type: ColumnType): unknown {
  if (value === null || type.kind !== 'primitive') return value
  switch (type.name) {
    case 'bigint':
      return BigInt(value as string)
    case 'float':
    case 'double':
      return Number(value)
    case 'decimal':
      return BigInt((value as string).replace('.', ''))
    case 'date':
      return Number(parseDate(value as string))
    case 'time':
      return parseTime(value as string) / 1000n
    case 'timestamp':
    case 'timestamp_ltz': {
      const nanos = parseTimestamp(value as string)
      return (type.args[0] ?? 6) <= 6 ? nanos / 1000n : nanos
    }
    case 'binary':
    case 'varbinary':
    case 'bytes':
      return new Uint8Array(Buffer.from(value as string, 'hex'))
    default:
      return value
  }
}
