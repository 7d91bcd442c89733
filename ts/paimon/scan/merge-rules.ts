import { LakefoldError } from '../../base/errors.js'
import type { JsonValue } from '../../types/types.js'
import {
  AGGREGATION_REMOVE_ON_DELETE,
  DEFAULT_AGGREGATE_FUNCTION,
  IGNORE_DELETE,
  MERGE_ENGINE,
  PARTIAL_UPDATE_REMOVE_ON_DELETE,
  PARTIAL_UPDATE_REMOVE_ON_GROUP,
  SEQUENCE_FIELD,
  SEQUENCE_SORT_ORDER,
} from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'

/** How rows of one key become one, as the task document tells it; without sections. */
export function mergeRules(schema: TableSchema, keepDeletes: boolean): { readonly [key: string]: JsonValue } {
  const order = schema.options.get(SEQUENCE_SORT_ORDER) === 'descending' ? 'desc' : 'asc'
  return {
    keys: schema.trimmedPrimaryKeys.map((field) => field.id),
    sequence: schema.options
      .get(SEQUENCE_FIELD)
      .map((name) => ({ 'field-id': idOf(schema, name, SEQUENCE_FIELD.key), order })),
    engine: engine(schema),
    'keep-deletes': keepDeletes,
  }
}

function engine(schema: TableSchema): JsonValue {
  const { options } = schema
  const name = options.get(MERGE_ENGINE)
  const ignoreDelete = options.get(IGNORE_DELETE)
  switch (name) {
    case 'deduplicate':
    case 'first-row':
      return { name, 'ignore-delete': ignoreDelete }
    case 'partial-update':
      return {
        name,
        'ignore-delete': ignoreDelete,
        'remove-record-on-delete': options.get(PARTIAL_UPDATE_REMOVE_ON_DELETE),
        'remove-record-on-sequence-group': options
          .get(PARTIAL_UPDATE_REMOVE_ON_GROUP)
          .map((field) => idOf(schema, field, PARTIAL_UPDATE_REMOVE_ON_GROUP.key)),
        groups: sequenceGroups(schema),
        aggregates: aggregates(schema),
        'default-function': options.get(DEFAULT_AGGREGATE_FUNCTION) ?? null,
      }
    case 'aggregation':
      return {
        name,
        'remove-record-on-delete': options.get(AGGREGATION_REMOVE_ON_DELETE),
        aggregates: aggregates(schema),
        'default-function': options.get(DEFAULT_AGGREGATE_FUNCTION) ?? 'last_non_null_value',
      }
  }
}

function sequenceGroups(schema: TableSchema): JsonValue[] {
  const groups: JsonValue[] = []
  for (const [key, value] of schema.options.map) {
    const names = /^fields\.(.+)\.sequence-group$/.exec(key)?.[1]
    if (names === undefined) continue
    const ids = (text: string): number[] => text.split(',').map((name) => idOf(schema, name.trim(), key))
    groups.push({ sequence: ids(names), fields: ids(value) })
  }
  return groups
}

function aggregates(schema: TableSchema): JsonValue[] {
  const found: JsonValue[] = []
  for (const field of schema.fields) {
    if (schema.primaryKeys.includes(field.name)) {
      // A key is never aggregated, whatever the options say, and partition fields are part of it.
      found.push({ 'field-id': field.id, function: 'primary-key', options: {} })
      continue
    }
    const prefix = `fields.${field.name}.`
    const options: Record<string, string> = {}
    let name: string | undefined
    for (const [key, value] of schema.options.map) {
      if (!key.startsWith(prefix)) continue
      const rest = key.slice(prefix.length)
      if (rest === 'aggregate-function') name = value
      else if (rest !== 'sequence-group') options[rest] = value
    }
    if (name === undefined && Object.keys(options).length === 0) continue
    found.push({ 'field-id': field.id, ...(name === undefined ? {} : { function: name }), options })
  }
  return found
}

function idOf(schema: TableSchema, name: string, option: string): number {
  const field = schema.field(name)
  if (field !== undefined) return field.id
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    `${schema.source}: option "${option}" names the column "${name}", which there is not`,
    {
      context: { file: schema.source, option, column: name },
    },
  )
}
