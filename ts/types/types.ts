/**
 * The type model that every table format maps to (Iceberg spec, "Schemas and Data Types").
 * Everything here is immutable.
 */

export type PrimitiveType =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'int' }
  | { readonly kind: 'long' }
  | { readonly kind: 'float' }
  | { readonly kind: 'double' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'date' }
  | { readonly kind: 'time' }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'timestamptz' }
  | { readonly kind: 'timestamp_ns' }
  | { readonly kind: 'timestamptz_ns' }
  | { readonly kind: 'string' }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'fixed'; readonly length: number }
  | { readonly kind: 'binary' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'variant' }
  | { readonly kind: 'geometry'; readonly crs?: string }
  | { readonly kind: 'geography'; readonly crs?: string; readonly algorithm?: string }

export interface StructType {
  readonly kind: 'struct'
  readonly fields: readonly NestedField[]
}

export interface ListType {
  readonly kind: 'list'
  readonly elementId: number
  readonly element: Type
  readonly elementRequired: boolean
}

export interface MapType {
  readonly kind: 'map'
  readonly keyId: number
  readonly key: Type
  readonly valueId: number
  readonly value: Type
  readonly valueRequired: boolean
}

export type NestedType = StructType | ListType | MapType
export type Type = PrimitiveType | NestedType

export interface NestedField {
  readonly id: number
  readonly name: string
  readonly required: boolean
  readonly type: Type
  readonly doc?: string
  /** Single-value JSON, as in the metadata (Iceberg spec, "JSON single-value serialization"). */
  readonly initialDefault?: JsonValue
  readonly writeDefault?: JsonValue
}

/** JSON with exact integers: a whole number token beyond 2^53 is a bigint, every other one a number. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/**
 * A value of a primitive type in memory:
 * boolean -> boolean; int, date (days), -> number; long, time (micros), timestamp* (micros or nanos) -> bigint;
 * float, double -> number; decimal -> bigint, unscaled; string -> string;
 * uuid (16 bytes, big-endian), fixed, binary, geometry, geography -> Uint8Array.
 */
export type Value = boolean | number | bigint | string | Uint8Array
