import { stringifyJson } from '../../base/json.js'
import type { JsonValue } from '../../types/types.js'
import type { TableSchema } from './schema.js'
import { type PaimonField, type PaimonType, typeText } from './types.js'

/** A schema as its file has it. */
export function schemaToJson(schema: TableSchema): string {
  return stringifyJson({
    version: schema.version,
    id: schema.id,
    fields: schema.fields.map(fieldJson),
    highestFieldId: schema.highestFieldId,
    partitionKeys: [...schema.partitionKeys],
    primaryKeys: [...schema.primaryKeys],
    options: Object.fromEntries(schema.options.map),
    ...(schema.comment === undefined ? {} : { comment: schema.comment }),
    timeMillis: schema.timeMillis,
  })
}

/** Fields as the reference writes them in JSON, on one line. */
export function fieldsJson(fields: readonly PaimonField[]): string {
  return JSON.stringify(fields.map(fieldJson))
}

function fieldJson(field: PaimonField): JsonValue {
  const { description, defaultValue } = field
  return {
    id: field.id,
    name: field.name,
    type: typeJson(field.type),
    ...(description === undefined ? {} : { description }),
    ...(defaultValue === undefined ? {} : { defaultValue }),
  }
}

function typeJson(type: PaimonType): JsonValue {
  const named = (name: string) => (type.nullable ? name : `${name} NOT NULL`)
  switch (type.kind) {
    case 'array':
    case 'multiset':
      return { type: named(type.kind.toUpperCase()), element: typeJson(type.element) }
    case 'vector':
      return { type: named('VECTOR'), element: typeJson(type.element), length: type.length }
    case 'map':
      return { type: named('MAP'), key: typeJson(type.key), value: typeJson(type.value) }
    case 'row':
      return { type: named('ROW'), fields: type.fields.map(fieldJson) }
    default:
      return typeText(type)
  }
}
