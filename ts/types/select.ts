import { LakefoldError } from '../base/errors.js'
import type { ColumnRef, Schema } from './schema.js'
import type { NestedField, StructType, Type } from './types.js'

/** Reserved field ids of metadata columns (Iceberg spec, "Reserved Field IDs"). */
export const RESERVED_IDS = {
  _file: 2147483646,
  _pos: 2147483645,
  _deleted: 2147483644,
  _spec_id: 2147483643,
  _partition: 2147483642,
  file_path: 2147483546,
  pos: 2147483545,
  row: 2147483544,
  _change_type: 2147483543,
  _change_ordinal: 2147483542,
  _commit_snapshot_id: 2147483541,
  _row_id: 2147483540,
  _last_updated_sequence_number: 2147483539,
} as const

export interface MetadataColumnOptions {
  /** The struct of `_partition`: the fields of all specs of the table. */
  readonly partitionType: StructType
  /** Whether the columns of a changelog scan exist. */
  readonly changelog?: boolean
}

/** The metadata columns that a selection may name, by name. */
export function metadataColumns(options: MetadataColumnOptions): ReadonlyMap<string, NestedField> {
  const column = (name: keyof typeof RESERVED_IDS, type: NestedField['type'], required: boolean): NestedField => ({
    id: RESERVED_IDS[name],
    name,
    required,
    type,
  })
  const columns = [
    column('_file', { kind: 'string' }, true),
    column('_pos', { kind: 'long' }, true),
    column('_deleted', { kind: 'boolean' }, true),
    column('_spec_id', { kind: 'int' }, true),
    column('_partition', options.partitionType, false),
    column('_row_id', { kind: 'long' }, false),
    column('_last_updated_sequence_number', { kind: 'long' }, false),
  ]
  if (options.changelog === true) {
    columns.push(
      column('_change_type', { kind: 'string' }, true),
      column('_change_ordinal', { kind: 'int' }, true),
      column('_commit_snapshot_id', { kind: 'long' }, true),
    )
  }
  return new Map(columns.map((field) => [field.name, field]))
}

export interface SelectOptions {
  /** Default true. */
  readonly caseSensitive?: boolean
  /** What {@link metadataColumns} returns; absent: metadata columns cannot be selected. */
  readonly metadataColumns?: ReadonlyMap<string, NestedField>
  /** Whether a name may lead through lists and maps, by `element`, `key` and `value`. Default false. */
  readonly entersLists?: boolean
}

/** Children chosen of a nested type; `all` once the column itself was named. */
interface Choice {
  all: boolean
  readonly children: Map<number, Choice>
}

/**
 * The fields of a selection, in its order: nothing selected is every top-level column; a repeated name counts once; a
 * dotted name keeps its parents with only the chosen leaves, in the schema's order; parent and child together give the
 * parent. A map's keys are always whole, and all of it where they alone are chosen. Metadata columns are found by name if the schema has no such column. Throws UNKNOWN_COLUMN; INVALID_ARGUMENT for what is no name.
 */
export function select(
  schema: Schema,
  columns: readonly string[] | undefined,
  options: SelectOptions = {},
): readonly NestedField[] {
  if (columns === undefined || columns.length === 0) return schema.fields
  const caseSensitive = options.caseSensitive ?? true
  const find = (name: string) =>
    options.entersLists ? schema.known(name, caseSensitive) : schema.findByName(name, caseSensitive)
  const chosen = new Map<number, { readonly field: NestedField; readonly choice: Choice }>()
  for (const name of columns) {
    if (typeof name !== 'string') {
      const context = { field: 'select', value: name }
      throw new LakefoldError('INVALID_ARGUMENT', 'columns are selected by their names, each an argument', { context })
    }
    const metadata = metadataColumn(schema, name, caseSensitive, options.metadataColumns)
    const path = metadata === undefined ? find(name).path : [metadata]
    const top = path[0] as NestedField
    let entry = chosen.get(top.id)
    if (entry === undefined) {
      entry = { field: top, choice: { all: false, children: new Map() } }
      chosen.set(top.id, entry)
    }
    choose(entry.choice, path)
  }
  return [...chosen.values()].map(({ field, choice }) => prune(field, choice))
}

function metadataColumn(
  schema: Schema,
  name: string,
  caseSensitive: boolean,
  known: ReadonlyMap<string, NestedField> | undefined,
): NestedField | undefined {
  const field = known?.get(name) ?? (caseSensitive ? undefined : known?.get(name.toLowerCase()))
  const own: ColumnRef | undefined = field === undefined ? undefined : schema.lookup(name, caseSensitive)
  return own === undefined ? field : undefined
}

function choose(choice: Choice, path: readonly NestedField[]): void {
  let at = choice
  for (const field of path.slice(1)) {
    let next = at.children.get(field.id)
    if (next === undefined) {
      next = { all: false, children: new Map() }
      at.children.set(field.id, next)
    }
    at = next
  }
  at.all = true
}

function prune(field: NestedField, choice: Choice): NestedField {
  const type = pruneType(field.type, choice)
  return type === field.type ? field : { ...field, type }
}

function pruneType(type: Type, choice: Choice): Type {
  if (choice.all) return type
  if (type.kind === 'list') {
    const inner = choice.children.get(type.elementId)
    return inner === undefined ? type : { ...type, element: pruneType(type.element, inner) }
  }
  if (type.kind === 'map') {
    const inner = choice.children.get(type.valueId)
    return inner === undefined ? type : { ...type, value: pruneType(type.value, inner) }
  }
  if (type.kind !== 'struct') return type
  const fields = type.fields.flatMap((child) => {
    const inner = choice.children.get(child.id)
    return inner === undefined ? [] : [prune(child, inner)]
  })
  return { kind: 'struct', fields }
}
