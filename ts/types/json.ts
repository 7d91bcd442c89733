import { LakefoldError } from '../base/errors.js'
import { Schema } from './schema.js'
import type { JsonValue, NestedField, PrimitiveType, Type } from './types.js'

export { parseTransform, transformResultType, transformToText } from './transform-text.js'

/** What an error about a document names beside the fault: the file, the schema. */
export type JsonContext = Readonly<Record<string, unknown>>

/** Types nested deeper than this are refused. */
const MAX_DEPTH = 100
const MAX_INT = 2 ** 31 - 1
const SIMPLE = new Set([
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'timestamp_ns',
  'timestamptz_ns',
  'string',
  'uuid',
  'binary',
  'unknown',
  'variant',
])

type JsonObject = { readonly [key: string]: JsonValue }

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function place(context: JsonContext): string {
  return context.file === undefined ? '' : ` in ${String(context.file)}`
}

function corrupt(message: string, value: JsonValue | undefined, context: JsonContext): LakefoldError {
  return new LakefoldError('CORRUPT_FILE', `${message}${place(context)}`, { context: { ...context, value } })
}

function idOf(json: JsonObject, key: string, context: JsonContext): number {
  const id = json[key]
  if (typeof id !== 'number' || !Number.isInteger(id) || Math.abs(id) > MAX_INT + 1) {
    throw corrupt(`"${key}" must be a 32-bit integer`, id, context)
  }
  return id
}

function flagOf(json: JsonObject, key: string, context: JsonContext): boolean {
  const flag = json[key]
  if (typeof flag !== 'boolean') throw corrupt(`"${key}" must be true or false`, flag, context)
  return flag
}

/**
 * Reads a primitive type's name; blanks are allowed in it, as in `decimal(9, 2)`.
 * Throws UNSUPPORTED for a type that we do not know, naming it.
 */
export function parsePrimitiveType(text: string, context: JsonContext = {}): PrimitiveType {
  const name = text.trim()
  if (SIMPLE.has(name)) return { kind: name } as PrimitiveType
  const decimal = /^decimal\s*\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(name)
  if (decimal !== null) {
    const [precision, scale] = [Number(decimal[1]), Number(decimal[2])]
    if (precision < 1 || precision > 38 || scale > precision) {
      throw corrupt(`Type ${text} must have 1 to 38 digits, of which at most all after the point`, text, context)
    }
    return { kind: 'decimal', precision, scale }
  }
  const fixed = /^fixed\s*\[\s*(\d{1,10})\s*\]$/.exec(name)
  if (fixed !== null && Number(fixed[1]) <= MAX_INT) return { kind: 'fixed', length: Number(fixed[1]) }
  const geometry = /^geometry\s*(?:\(\s*([^)]*?)\s*\))?$/.exec(name)
  if (geometry !== null) return geometry[1] ? { kind: 'geometry', crs: geometry[1] } : { kind: 'geometry' }
  const geography = /^geography\s*(?:\(\s*([^,)]*?)\s*(?:,\s*([^)]*?)\s*)?\))?$/.exec(name)
  if (geography !== null) {
    return {
      kind: 'geography',
      ...(geography[1] ? { crs: geography[1] } : {}),
      ...(geography[2] ? { algorithm: geography[2] } : {}),
    }
  }
  throw new LakefoldError('UNSUPPORTED', `Unknown type "${text}"${place(context)}`, {
    context: { ...context, type: text },
  })
}

/**
 * Reads a type of table metadata (Iceberg spec, Appendix C). Throws UNSUPPORTED for an unknown type, CORRUPT_FILE for
 * JSON of another shape and LIMIT_EXCEEDED for types nested too deeply; `context` names the file.
 */
export function parseType(json: JsonValue | undefined, context: JsonContext = {}): Type {
  return typeAt(json, context, 0)
}

function typeAt(json: JsonValue | undefined, context: JsonContext, depth: number): Type {
  if (depth > MAX_DEPTH) {
    throw new LakefoldError('LIMIT_EXCEEDED', `Types are nested deeper than ${MAX_DEPTH}${place(context)}`, { context })
  }
  if (typeof json === 'string') return parsePrimitiveType(json, context)
  if (!isObject(json)) throw corrupt('A type must be a text or an object', json, context)
  switch (json.type) {
    case 'struct':
      return { kind: 'struct', fields: fieldsAt(json.fields, context, depth) }
    case 'list':
      return {
        kind: 'list',
        elementId: idOf(json, 'element-id', context),
        element: typeAt(json.element, context, depth + 1),
        elementRequired: flagOf(json, 'element-required', context),
      }
    case 'map':
      return {
        kind: 'map',
        keyId: idOf(json, 'key-id', context),
        key: typeAt(json.key, context, depth + 1),
        valueId: idOf(json, 'value-id', context),
        value: typeAt(json.value, context, depth + 1),
        valueRequired: flagOf(json, 'value-required', context),
      }
    default:
      if (typeof json.type !== 'string') throw corrupt('A nested type must name its "type"', json.type, context)
      throw new LakefoldError('UNSUPPORTED', `Unknown type "${json.type}"${place(context)}`, {
        context: { ...context, type: json.type },
      })
  }
}

function fieldsAt(json: JsonValue | undefined, context: JsonContext, depth: number): readonly NestedField[] {
  if (!Array.isArray(json)) throw corrupt('"fields" must be a list', json, context)
  return json.map((field: JsonValue) => {
    if (!isObject(field)) throw corrupt('A field must be an object', field, context)
    if (typeof field.name !== 'string') throw corrupt('A field must have a "name"', field.name, context)
    const inner = { ...context, field: field.name }
    return {
      id: idOf(field, 'id', inner),
      name: field.name,
      required: flagOf(field, 'required', inner),
      type: typeAt(field.type, inner, depth + 1),
      ...(typeof field.doc === 'string' ? { doc: field.doc } : {}),
      // JSON null says the same as no default.
      ...(field['initial-default'] != null ? { initialDefault: field['initial-default'] } : {}),
      ...(field['write-default'] != null ? { writeDefault: field['write-default'] } : {}),
    }
  })
}

/** A type's name as metadata spells it; nested types by their kind alone. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'decimal':
      return `decimal(${type.precision}, ${type.scale})`
    case 'fixed':
      return `fixed[${type.length}]`
    case 'geometry':
      return type.crs === undefined ? 'geometry' : `geometry(${type.crs})`
    case 'geography': {
      const args = [type.crs, type.algorithm].filter((arg) => arg !== undefined)
      return args.length === 0 ? 'geography' : `geography(${args.join(', ')})`
    }
    default:
      return type.kind
  }
}

/** A type as metadata JSON, with the fields of its structs as `print` gives them. */
export function typeToJson(type: Type, print: (field: NestedField) => JsonValue = fieldToJson): JsonValue {
  switch (type.kind) {
    case 'struct':
      return { type: 'struct', fields: type.fields.map((field) => print(field)) }
    case 'list':
      return {
        type: 'list',
        'element-id': type.elementId,
        element: typeToJson(type.element, print),
        'element-required': type.elementRequired,
      }
    case 'map':
      return {
        type: 'map',
        'key-id': type.keyId,
        key: typeToJson(type.key, print),
        'value-id': type.valueId,
        value: typeToJson(type.value, print),
        'value-required': type.valueRequired,
      }
    default:
      return typeName(type)
  }
}

/** A field as metadata JSON. */
export function fieldToJson(field: NestedField): JsonValue {
  return {
    id: field.id,
    name: field.name,
    required: field.required,
    type: typeToJson(field.type),
    ...(field.doc === undefined ? {} : { doc: field.doc }),
    ...(field.initialDefault === undefined ? {} : { 'initial-default': field.initialDefault }),
    ...(field.writeDefault === undefined ? {} : { 'write-default': field.writeDefault }),
  }
}

/** Reads a schema of table metadata; `schema-id` is 0 where a v1 table leaves it out. Errors as {@link parseType}. */
export function parseSchema(json: JsonValue | undefined, context: JsonContext = {}): Schema {
  if (!isObject(json)) throw corrupt('A schema must be an object', json, context)
  if (json.type !== undefined && json.type !== 'struct') {
    throw corrupt('A schema must be of type "struct"', json.type, context)
  }
  const ids = json['identifier-field-ids'] ?? []
  if (!Array.isArray(ids) || !ids.every((id) => Number.isInteger(id))) {
    throw corrupt('"identifier-field-ids" must be a list of integers', ids, context)
  }
  return new Schema({
    schemaId: json['schema-id'] == null ? 0 : idOf(json, 'schema-id', context),
    fields: fieldsAt(json.fields, context, 0),
    identifierFieldIds: ids as readonly number[],
  })
}

/** A schema as metadata JSON. */
export function schemaToJson(schema: Schema): JsonValue {
  return {
    type: 'struct',
    'schema-id': schema.schemaId,
    ...(schema.identifierFieldIds.length === 0 ? {} : { 'identifier-field-ids': schema.identifierFieldIds }),
    fields: schema.fields.map(fieldToJson),
  }
}
