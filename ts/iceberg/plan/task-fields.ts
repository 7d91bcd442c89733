import { typeToJson } from '../../types/json.js'
import { type ColumnRef, childFields } from '../../types/schema.js'
import type { JsonValue, NestedField, Type } from '../../types/types.js'
import type { NameMapping } from '../metadata/name-mapping.js'

/** A field as the task document has it: what readers do not need (docs, write defaults) is left out. */
export function taskField(field: NestedField): JsonValue {
  return {
    id: field.id,
    name: field.name,
    required: field.required,
    type: taskType(field.type),
    ...(field.initialDefault === undefined ? {} : { 'initial-default': field.initialDefault }),
  }
}

/** A type as the task document has it. */
export function taskType(type: Type): JsonValue {
  return typeToJson(type, taskField)
}

/** A name mapping as the task document has it. */
export function taskNameMapping(mapping: NameMapping): JsonValue {
  return mapping.map((field) => ({
    ...(field.fieldId === undefined ? {} : { 'field-id': field.fieldId }),
    names: field.names,
    ...(field.fields.length === 0 ? {} : { fields: taskNameMapping(field.fields) }),
  }))
}

/** Top-level columns pruned to the given leaves; a leaf inside structs comes as those structs. */
export function pruneToLeaves(leaves: readonly ColumnRef[]): NestedField[] {
  const ids = new Set(leaves.map((leaf) => leaf.field.id))
  const tops = new Map<number, NestedField>()
  for (const { path } of leaves) tops.set(path[0]!.id, tops.get(path[0]!.id) ?? path[0]!)
  return [...tops.values()].map((top) => keepLeaves(top, ids))
}

function keepLeaves(field: NestedField, ids: ReadonlySet<number>): NestedField {
  if (ids.has(field.id) || field.type.kind !== 'struct') return field
  const fields = field.type.fields.filter((child) => holds(child, ids)).map((child) => keepLeaves(child, ids))
  return { ...field, type: { kind: 'struct', fields } }
}

function holds(field: NestedField, ids: ReadonlySet<number>): boolean {
  return ids.has(field.id) || (field.type.kind === 'struct' && childFields(field.type).some((f) => holds(f, ids)))
}
