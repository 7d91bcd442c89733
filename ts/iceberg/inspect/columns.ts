import type { NestedField, StructType, Type } from '../../types/types.js'

const LONG: Type = { kind: 'long' }
const BINARY: Type = { kind: 'binary' }

/** A column of an evidence table that may not be null. */
export function required(name: string, type: Type | SimpleKind): NestedField {
  return column(name, type, true)
}

/** A column of an evidence table that may be null. */
export function optional(name: string, type: Type | SimpleKind): NestedField {
  return column(name, type, false)
}

type SimpleKind = 'boolean' | 'int' | 'long' | 'string' | 'binary' | 'timestamptz'

// Evidence tables are read by name: their ids have no meaning.
function column(name: string, type: Type | SimpleKind, isRequired: boolean): NestedField {
  return { id: 0, name, required: isRequired, type: typeof type === 'string' ? { kind: type } : type }
}

export function struct(fields: readonly NestedField[]): StructType {
  return { kind: 'struct', fields }
}

export function listOf(element: Type): Type {
  return { kind: 'list', elementId: 0, element, elementRequired: true }
}

export function mapOf(key: Type, value: Type): Type {
  return { kind: 'map', keyId: 0, key, valueId: 0, value, valueRequired: true }
}

/** From column id to a count or size. */
export const COUNTS = mapOf({ kind: 'int' }, LONG)
/** From column id to a bound. */
export const BOUNDS = mapOf({ kind: 'int' }, BINARY)

/** Milliseconds as a `timestamptz`, which has micros. */
export function micros(ms: bigint): bigint {
  return ms * 1000n
}
