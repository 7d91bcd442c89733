import { typeName } from '../../types/json.js'
import { RESERVED_IDS } from '../../types/select.js'
import type { JsonValue, ListType, MapType, NestedField, PrimitiveType, StructType, Type } from '../../types/types.js'
import { sharedField, sharedType } from '../metadata/shared-type.js'
import { MAX_LENGTH, type PaimonField, type PaimonType } from '../metadata/types.js'
import { ROW_ID } from '../plan/row-id-filter.js'

/** A field as the task document has it, with the children that `wanted` selects. */
export function taskField(field: PaimonField, wanted: NestedField = sharedField(field)): JsonValue {
  return {
    id: field.id,
    name: field.name,
    required: !field.type.nullable && wanted.required,
    type: taskType(field.type, wanted.type),
  }
}

/** A type as the task document has it: exacter than the shared one. */
function taskType(type: PaimonType, wanted: Type): JsonValue {
  switch (type.kind) {
    case 'tinyint':
    case 'smallint':
      return type.kind
    case 'char':
      return `char(${type.length})`
    case 'varchar':
      return type.length === MAX_LENGTH ? 'string' : `varchar(${type.length})`
    case 'binary':
      return `binary(${type.length})`
    case 'varbinary':
      return type.length === MAX_LENGTH ? 'binary' : `varbinary(${type.length})`
    case 'time':
    case 'timestamp':
      return `${type.kind}(${type.precision})`
    case 'timestamp_ltz':
      return `timestamptz(${type.precision})`
    case 'row': {
      const fields = (wanted as StructType).fields.map((child) => {
        const field = type.fields.find(({ id }) => id === child.id) as PaimonField
        return taskField(field, child)
      })
      return { type: 'struct', fields }
    }
    case 'array':
    case 'vector': {
      const list = wanted as ListType
      return {
        type: 'list',
        'element-id': list.elementId,
        element: taskType(type.element, list.element),
        'element-required': list.elementRequired,
      }
    }
    case 'multiset':
      return mapType(wanted as MapType, taskType(type.element, (wanted as MapType).key), 'int')
    case 'map': {
      const map = wanted as MapType
      return mapType(map, taskType(type.key, map.key), taskType(type.value, map.value))
    }
    default:
      return typeName(sharedType(type, 0) as PrimitiveType)
  }
}

function mapType(map: MapType, key: JsonValue, value: JsonValue): JsonValue {
  return {
    type: 'map',
    'key-id': map.keyId,
    key,
    'value-id': map.valueId,
    value,
    'value-required': map.valueRequired,
  }
}

/** Columns that every table has beside its own, by name. */
export const SYSTEM_COLUMNS: ReadonlyMap<string, NestedField & { readonly taskType: string }> = new Map(
  (
    [
      [ROW_ID.name, ROW_ID.id, 'long', 'long'],
      ['_SEQUENCE_NUMBER', RESERVED_IDS._last_updated_sequence_number, 'long', 'long'],
      ['_VALUE_KIND', 2147483530, 'int', 'tinyint'],
      ['rowkind', 2147483529, 'string', 'string'],
    ] as const
  ).map(([name, id, kind, taskType]) => [name, { id, name, required: false, type: { kind }, taskType }]),
)

/** A selection as the task document has it. */
export function projectionJson(projection: readonly NestedField[], fields: readonly PaimonField[]): JsonValue {
  return projection.map((wanted) => {
    const field = fields.find(({ id }) => id === wanted.id)
    if (field !== undefined) return taskField(field, wanted)
    const system = SYSTEM_COLUMNS.get(wanted.name)
    return { id: wanted.id, name: wanted.name, required: wanted.required, type: system?.taskType ?? 'string' }
  })
}
