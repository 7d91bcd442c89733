import { Schema } from '../../types/schema.js'
import type { NestedField, Type } from '../../types/types.js'
import type { PaimonField, PaimonType } from './types.js'

/** Where the ids begin that list elements and map keys and values get, as Paimon's Parquet writer numbers them. */
const STRUCTURED_ID_BASE = Math.floor((2 ** 31 - 1) / 4)
const DEPTH_LIMIT = 1024

/**
 * The shared type that a Paimon type is bound, evaluated and read as:
 *
 * | Paimon | shared type | in memory | Arrow |
 * |---|---|---|---|
 * | BOOLEAN | boolean | boolean | Bool |
 * | TINYINT, SMALLINT, INT | int | number | Int8, Int16, Int32 |
 * | BIGINT | long | bigint | Int64 |
 * | FLOAT, DOUBLE | float, double | number | Float32, Float64 |
 * | DECIMAL(p, s) | decimal | unscaled bigint | Decimal128(p, s) |
 * | CHAR, VARCHAR, STRING | string | string | Utf8 |
 * | BINARY, VARBINARY, BYTES, BLOB | binary | Uint8Array | Binary |
 * | DATE | date | days | Date32 |
 * | TIME(p) | time | micros (Paimon stores millis) | Time32(ms) |
 * | TIMESTAMP(p), p <= 6 | timestamp | micros | Timestamp(ms) for p <= 3, else Timestamp(us) |
 * | TIMESTAMP(p), p > 6 | timestamp_ns | nanos | Timestamp(ns) |
 * | TIMESTAMP_LTZ(p) | timestamptz, timestamptz_ns | micros, nanos | the same with UTC |
 * | VARIANT | variant | | Struct of value and metadata |
 * | GEOMETRY, GEOGRAPHY | geometry, geography | | Binary |
 * | ARRAY, VECTOR | list | | List, FixedSizeList |
 * | MULTISET of T | map from T to a required int | | Map |
 * | MAP, ROW | map, struct | | Map, Struct |
 */
export function sharedType(type: PaimonType, fieldId: number, depth = 0): Type {
  switch (type.kind) {
    case 'boolean':
    case 'int':
    case 'float':
    case 'double':
    case 'date':
    case 'variant':
    case 'time':
      return { kind: type.kind }
    case 'tinyint':
    case 'smallint':
      return { kind: 'int' }
    case 'bigint':
      return { kind: 'long' }
    case 'decimal':
      return { kind: 'decimal', precision: type.precision, scale: type.scale }
    case 'char':
    case 'varchar':
      return { kind: 'string' }
    case 'binary':
    case 'varbinary':
    case 'blob':
      return { kind: 'binary' }
    case 'timestamp':
      return { kind: type.precision <= 6 ? 'timestamp' : 'timestamp_ns' }
    case 'timestamp_ltz':
      return { kind: type.precision <= 6 ? 'timestamptz' : 'timestamptz_ns' }
    case 'geometry':
      return { kind: 'geometry', ...(type.crs === undefined ? {} : { crs: type.crs }) }
    case 'geography':
      return {
        kind: 'geography',
        ...(type.crs === undefined ? {} : { crs: type.crs }),
        ...(type.algorithm === undefined ? {} : { algorithm: type.algorithm }),
      }
    case 'array':
    case 'vector':
      return {
        kind: 'list',
        elementId: structuredId(fieldId, depth + 1),
        element: sharedType(type.element, fieldId, depth + 1),
        elementRequired: !type.element.nullable,
      }
    case 'multiset':
      return {
        kind: 'map',
        keyId: structuredId(fieldId, depth + 1, -1),
        key: sharedType(type.element, fieldId, depth + 1),
        valueId: structuredId(fieldId, depth + 1),
        value: { kind: 'int' },
        valueRequired: true,
      }
    case 'map':
      return {
        kind: 'map',
        keyId: structuredId(fieldId, depth + 1, -1),
        key: sharedType(type.key, fieldId, depth + 1),
        valueId: structuredId(fieldId, depth + 1),
        value: sharedType(type.value, fieldId, depth + 1),
        valueRequired: !type.value.nullable,
      }
    case 'row':
      return { kind: 'struct', fields: type.fields.map(sharedField) }
  }
}

/** Ids of elements and map values go up from the base, those of map keys down, so that none meets another. */
function structuredId(fieldId: number, depth: number, sign: 1 | -1 = 1): number {
  return STRUCTURED_ID_BASE + sign * (fieldId * DEPTH_LIMIT + depth)
}

/** The field with its shared type; `required` where it is NOT NULL. */
export function sharedField(field: PaimonField): NestedField {
  return {
    id: field.id,
    name: field.name,
    required: !field.type.nullable,
    type: sharedType(field.type, field.id),
    ...(field.description === undefined ? {} : { doc: field.description }),
  }
}

/** The shared schema that filters bind to. */
export function sharedSchema(schemaId: number, fields: readonly PaimonField[]): Schema {
  return new Schema({ schemaId, fields: fields.map(sharedField) })
}
