import { compareValues } from '../../types/compare.js'
import { floorDiv } from '../../types/decimal.js'
import type { Type, Value } from '../../types/types.js'
import { utf8 } from '../../types/utf8.js'
import type { PaimonType } from '../metadata/types.js'
import type { Cursor } from './cursor.js'

/** A value as indexes hold it: whole numbers of every width as bigint, floats as number, text and binary as bytes, booleans. */
export type Key = bigint | number | boolean | Uint8Array

/** A literal as a key. */
export interface KeyLiteral {
  /** The key, or the greatest key below the literal where it is not exact. */
  readonly key: Key
  readonly exact: boolean
  /** Whether the index's keys are coarser than the column's values: equal keys do not mean equal values. */
  readonly coarse: boolean
}

/** How a type's values are keys; undefined for types that no index takes. */
export function keyLiteral(type: PaimonType, value: Value, exact: boolean): KeyLiteral | undefined {
  switch (type.kind) {
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'date':
      return { key: BigInt(value as number), exact, coarse: false }
    case 'bigint':
      return { key: value as bigint, exact, coarse: false }
    case 'decimal':
      return type.precision <= 18 ? { key: value as bigint, exact, coarse: false } : undefined
    case 'time':
      return scaled(value as bigint, 1000n, exact, false)
    case 'timestamp':
    case 'timestamp_ltz':
      if (type.precision <= 3) return scaled(value as bigint, 1000n, exact, false)
      if (type.precision <= 6) return { key: value as bigint, exact, coarse: false }
      return scaled(value as bigint, 1000n, exact, true)
    case 'float':
    case 'double':
      return { key: value as number, exact, coarse: false }
    case 'boolean':
      return { key: value as boolean, exact, coarse: false }
    case 'char':
    case 'varchar':
      return { key: utf8(value as string), exact, coarse: false }
    case 'binary':
    case 'varbinary':
      return { key: value as Uint8Array, exact, coarse: false }
    default:
      return undefined
  }
}

function scaled(value: bigint, divisor: bigint, exact: boolean, coarse: boolean): KeyLiteral {
  return { key: floorDiv(value, divisor), exact: exact && (coarse || value % divisor === 0n), coarse }
}

/** Reads one key as bitmap and range bitmap indexes store it; undefined for types that they do not take. */
export function keyReader(type: PaimonType): ((cursor: Cursor) => Key) | undefined {
  switch (type.kind) {
    case 'boolean':
      return (cursor) => cursor.boolean()
    case 'tinyint':
      return (cursor) => BigInt(cursor.byte())
    case 'smallint':
      return (cursor) => BigInt(cursor.short())
    case 'int':
    case 'date':
    case 'time':
      return (cursor) => BigInt(cursor.int())
    case 'bigint':
    case 'timestamp':
    case 'timestamp_ltz':
      return (cursor) => cursor.long()
    case 'decimal':
      return type.precision <= 18 ? (cursor) => cursor.long() : undefined
    case 'float':
      return (cursor) => cursor.float()
    case 'double':
      return (cursor) => cursor.double()
    case 'char':
    case 'varchar':
      return (cursor) => cursor.take(cursor.int())
    default:
      return undefined
  }
}

/** The order of keys, which is that of the values. */
export function keyOrder(type: PaimonType): (a: Key, b: Key) => number {
  return compareValues(orderType(type))
}

function orderType(type: PaimonType): Type {
  switch (type.kind) {
    case 'boolean':
      return { kind: 'boolean' }
    case 'float':
    case 'double':
      return { kind: 'double' }
    case 'char':
    case 'varchar':
    case 'binary':
    case 'varbinary':
      return { kind: 'binary' }
    default:
      return { kind: 'long' }
  }
}
