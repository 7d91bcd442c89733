import { type Compile, mismatch, type Read } from '../../avro/read.js'
import type { AvroSchema } from '../../avro/schema.js'
import type { Tap } from '../../avro/tap.js'
import { bigEndianInteger } from '../../types/bounds.js'
import { typeName } from '../../types/json.js'
import type { PrimitiveType, Value } from '../../types/types.js'
import { parseUuid } from '../../types/utf8.js'

const MICROS_PER_DAY = 86_400_000_000n
const NANOS_PER_DAY = MICROS_PER_DAY * 1000n

/**
 * Reads a partition value as a value of `type`, whatever the writer's type was promoted from (Iceberg spec, "Schema Evolution"):
 * int -> long, float -> double, date -> timestamp. A value of the type `unknown` is read as it stands.
 *
 * @param prefixedFixed whether fixed values carry a length before them; see `readPrefixed` in read.ts.
 */
export function partitionValue(type: PrimitiveType, prefixedFixed: boolean): Compile<Value | null> {
  return (schema, at) => {
    if (schema.kind === 'null') return () => null
    if (schema.kind === 'union') {
      const branches = schema.branches.map((branch) => partitionValue(type, prefixedFixed)(branch, at))
      return (tap) => {
        const index = tap.int()
        const read =
          branches[index] ?? tap.fail(`a union has ${branches.length} types, the value names number ${index}`)
        return read(tap)
      }
    }
    return plainValue(type, schema, prefixedFixed) ?? mismatch(schema, `a type that reads as ${typeName(type)}`, at)
  }
}

function plainValue(type: PrimitiveType, schema: AvroSchema, prefixedFixed: boolean): Read<Value> | undefined {
  switch (schema.kind) {
    case 'boolean':
      return accepts(type, 'boolean') ? (tap) => tap.boolean() : undefined
    case 'int':
      return intValue(type, schema.logicalType)
    case 'long':
      return longValue(type, schema.logicalType)
    case 'float':
      return accepts(type, 'float', 'double') ? (tap) => tap.float() : undefined
    case 'double':
      return accepts(type, 'double') ? (tap) => tap.double() : undefined
    case 'string':
      if (type.kind === 'uuid') return (tap) => parseUuid(tap.string()) ?? tap.fail('a partition value is no uuid')
      return accepts(type, 'string') ? (tap) => tap.string() : undefined
    case 'bytes':
      return bytesValue(type, (tap) => tap.bytes())
    case 'fixed': {
      const { size } = schema
      if (type.kind === 'uuid' && size !== 16) return undefined
      if (type.kind === 'fixed' && prefixedFixed) return (tap) => prefixed(tap, size)
      return bytesValue(type, (tap) => tap.fixed(size))
    }
    default:
      return undefined
  }
}

function accepts(type: PrimitiveType, ...kinds: PrimitiveType['kind'][]): boolean {
  return type.kind === 'unknown' || kinds.includes(type.kind)
}

function intValue(type: PrimitiveType, logicalType: string | undefined): Read<Value> | undefined {
  switch (type.kind) {
    case 'int':
    case 'date':
    case 'unknown':
      return (tap) => tap.int()
    case 'long':
      return (tap) => BigInt(tap.int())
    case 'time':
      return logicalType === 'time-millis' ? (tap) => BigInt(tap.int()) * 1000n : undefined
    case 'timestamp':
    case 'timestamptz':
      return (tap) => BigInt(tap.int()) * MICROS_PER_DAY
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return (tap) => BigInt(tap.int()) * NANOS_PER_DAY
    default:
      return undefined
  }
}

function longValue(type: PrimitiveType, logicalType: string | undefined): Read<Value> | undefined {
  switch (type.kind) {
    case 'int':
    case 'date':
      // As for counts and ids: the value must fit.
      return (tap) => tap.int()
    case 'long':
    case 'time':
    case 'unknown':
      return (tap) => tap.long()
    case 'timestamp':
    case 'timestamptz':
      return logicalType?.endsWith('-millis') ? (tap) => tap.long() * 1000n : (tap) => tap.long()
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return logicalType?.endsWith('-micros') ? (tap) => tap.long() * 1000n : (tap) => tap.long()
    default:
      return undefined
  }
}

function bytesValue(type: PrimitiveType, read: Read<Uint8Array>): Read<Value> | undefined {
  switch (type.kind) {
    case 'decimal':
      return (tap) => {
        const bytes = read(tap)
        return bytes.length > 0 ? bigEndianInteger(bytes) : tap.fail('a decimal partition value has no bytes')
      }
    case 'fixed':
    case 'uuid': {
      const length = type.kind === 'uuid' ? 16 : type.length
      return (tap) => {
        const bytes = read(tap)
        return bytes.length === length ? bytes : tap.fail(`a partition value has ${bytes.length} bytes, not ${length}`)
      }
    }
    case 'binary':
    case 'unknown':
      return read
    default:
      return undefined
  }
}

function prefixed(tap: Tap, size: number): Uint8Array {
  const length = tap.length()
  return length === size ? tap.fixed(size) : tap.fail(`a fixed value has ${length} bytes, not ${size}`)
}
