import type { JsonValue } from '../../types/types.js'
import { type PaimonField, type PaimonType, typeText } from '../metadata/types.js'

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
