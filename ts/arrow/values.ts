import type { Data, RecordBatch, Time, Timestamp, TimeUnit } from 'apache-arrow'
import { LakefoldError } from '../base/errors.js'
import { formatDecimal } from '../types/decimal.js'
import type { NestedField, PrimitiveType, Type } from '../types/types.js'
import { setOwn, uuidText } from './plain.js'
import { decodeVariant } from './variant.js'
import { variantToJs } from './variant-fold.js'

/** By value: rows alone need nothing else of apache-arrow. */
const MILLISECOND: TimeUnit.MILLISECOND = 1

/** The value at a row. */
type Getter = (row: number) => unknown

/** A row as a plain object; see {@link rowsOf} for its values. */
export type Row = Record<string, unknown>

/** Values of a type, without looking at nulls. */
function present(type: Type, data: Data): Getter {
  switch (type.kind) {
    case 'struct':
      return record(type.fields, data.children)
    case 'list': {
      const element = nullable(type.element, data.children[0]!)
      return (row) => range(data, row, element)
    }
    case 'map': {
      const [keys, values] = data.children[0]!.children
      const key = nullable(type.key, keys!)
      const value = nullable(type.value, values!)
      return (row) => new Map(range(data, row, (at) => [key(at), value(at)] as const))
    }
    case 'variant': {
      const [metadata, value] = data.children
      const bytes = (of: Data) => (row: number) => of.values.subarray(of.valueOffsets[row]!, of.valueOffsets[row + 1]!)
      const [metadataAt, valueAt] = [bytes(metadata!), bytes(value!)]
      return (row) =>
        value!.getValid(row)
          ? variantToJs(decodeVariant(metadataAt(row) as Uint8Array, valueAt(row) as Uint8Array))
          : null
    }
    default:
      return primitive(type, data)
  }
}

function primitive(type: PrimitiveType, data: Data): Getter {
  const { values, valueOffsets } = data
  switch (type.kind) {
    case 'unknown':
      return () => null
    case 'boolean':
      return (row) => {
        const bit = data.offset + row
        return ((values[bit >> 3]! as number) & (1 << (bit & 7))) !== 0
      }
    case 'decimal': {
      const words = values as Uint32Array
      return (row) => {
        const at = row * 4
        const low = (BigInt(words[at + 1]!) << 32n) | BigInt(words[at]!)
        const high = (BigInt(words[at + 3]!) << 32n) | BigInt(words[at + 2]!)
        return formatDecimal(BigInt.asIntN(128, (high << 64n) | low), type.scale)
      }
    }
    case 'string': {
      if (data.dictionary !== undefined) return entries(type, data)
      const text = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
      return (row) => text.toString('utf8', valueOffsets[row]!, valueOffsets[row + 1]!)
    }
    case 'binary':
    case 'geometry':
    case 'geography':
      // A copy: the row must not pin its batch, nor change with it.
      return (row) => (values as Uint8Array).slice(valueOffsets[row]!, valueOffsets[row + 1]!)
    case 'fixed':
      return (row) => (values as Uint8Array).slice(row * type.length, (row + 1) * type.length)
    case 'uuid':
      return (row) => uuidText((values as Uint8Array).subarray(row * 16, (row + 1) * 16))
    case 'time':
    case 'timestamp':
    case 'timestamptz': {
      // Paimon's of three digits or fewer come as milliseconds.
      const { unit } = data.type as Time | Timestamp
      return unit === MILLISECOND ? (row) => BigInt(values[row]) * 1000n : (row) => values[row]
    }
    default:
      return (row) => values[row]
  }
}

/** The values of a dictionary, each made once. */
function entries(type: PrimitiveType, data: Data): Getter {
  const dictionary = data.dictionary!.data[0]!
  const get = primitive(type, dictionary)
  const made: unknown[] = new Array(dictionary.length)
  return (row) => (made[data.values[row]] ??= get(data.values[row]))
}

function range<T>(data: Data, row: number, get: (at: number) => T): T[] {
  const from = data.valueOffsets[row]!
  return Array.from({ length: data.valueOffsets[row + 1]! - from }, (_, index) => get(from + index))
}

function nullable(type: Type, data: Data): Getter {
  const get = present(type, data)
  return data.nullCount === 0 ? get : (row) => (data.getValid(row) ? get(row) : null)
}

function record(fields: readonly NestedField[], children: readonly Data[]): (row: number) => Row {
  const columns = fields.map((field, index) => [field.name, nullable(field.type, children[index]!)] as const)
  return (row) => {
    const object: Row = {}
    for (const [name, get] of columns) setOwn(object, name, get(row))
    return object
  }
}

/**
 * The rows of a batch as plain objects with exact values: boolean; int, date (days since 1970), float and double:
 * number; long, time (micros) and timestamps (micros, or nanos for `_ns`): bigint; decimal: text at full scale; string
 * and uuid: text; fixed, binary, geometry and geography: bytes of their own; struct: object; list: array; map: Map;
 * variant: plain values, see {@link variantToJs}; null: null. `projection` is that of the reader.
 */
export function* rowsOf(batch: RecordBatch, projection: readonly NestedField[]): Generator<Row, void, undefined> {
  const { children, length } = batch.data
  if (children.length !== projection.length) {
    throw new LakefoldError('INVALID_ARGUMENT', 'The projection is not that of the batch', {
      context: { columns: children.length, projected: projection.length },
    })
  }
  const row = record(projection, children)
  for (let index = 0; index < length; index++) yield row(index)
}
