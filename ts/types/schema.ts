import { LakefoldError } from '../base/errors.js'
import { nearNames } from './near-names.js'
import type { NestedField, StructType, Type } from './types.js'

/** A column of a schema, found by id or name. */
export interface ColumnRef {
  readonly field: NestedField
  /** The dotted name as the schema spells it. */
  readonly name: string
  /** Whether the column and every struct above it are required. */
  readonly required: boolean
  /** From the top-level column down to the column itself. */
  readonly path: readonly NestedField[]
  /** Whether a list or map lies above it. */
  readonly inListOrMap: boolean
}

/** The structs above the column that may be null, by field id. */
export const optionalParents = (column: ColumnRef): readonly number[] =>
  column.path
    .slice(0, -1)
    .filter((field) => !field.required)
    .map((field) => field.id)

export interface SchemaInit {
  readonly schemaId: number
  readonly fields: readonly NestedField[]
  readonly identifierFieldIds?: readonly number[]
}

/** A table's schema (Iceberg spec, "Schemas and Data Types"). Immutable; its indexes are built when first needed. */
export class Schema {
  readonly schemaId: number
  readonly fields: readonly NestedField[]
  readonly identifierFieldIds: readonly number[]
  #byId: Map<number, ColumnRef> | undefined
  #byName: Map<string, ColumnRef[]> | undefined
  #byLowerName: Map<string, ColumnRef[]> | undefined

  constructor(init: SchemaInit) {
    this.schemaId = init.schemaId
    this.fields = init.fields
    this.identifierFieldIds = init.identifierFieldIds ?? []
  }

  /** The schema as a struct type. */
  asStruct(): StructType {
    return { kind: 'struct', fields: this.fields }
  }

  /** The field with this id at any depth; list elements, map keys and values included. */
  findField(id: number): NestedField | undefined {
    return this.#ids().get(id)?.field
  }

  /** Like {@link findField}, with where the field lies. */
  findColumn(id: number): ColumnRef | undefined {
    return this.#ids().get(id)
  }

  /** The dotted name of the field with this id. */
  columnName(id: number): string | undefined {
    return this.#ids().get(id)?.name
  }

  /** Every field at any depth, parents first. */
  columns(): Iterable<ColumnRef> {
    return this.#ids().values()
  }

  /**
   * The column of this name, dots stepping into structs; a field whose own name holds a dot is tried whole first.
   * Undefined if there is none. Throws UNKNOWN_COLUMN if the name is ambiguous without regard to case.
   */
  lookup(name: string, caseSensitive = true): ColumnRef | undefined {
    const found = (caseSensitive ? this.#names() : this.#lowerNames()).get(caseSensitive ? name : name.toLowerCase())
    if (found === undefined) return undefined
    let best: ColumnRef[] = []
    for (const column of found) {
      if (best[0] === undefined || column.path.length < best[0].path.length) best = [column]
      else if (column.path.length === best[0].path.length) best.push(column)
    }
    if (best.length > 1) {
      const candidates = best.map((column) => column.name)
      throw new LakefoldError('UNKNOWN_COLUMN', `Column "${name}" is ambiguous: ${candidates.join(', ')}`, {
        context: { column: name, candidates },
      })
    }
    return best[0]
  }

  /** Like {@link known}, for columns that have one value a row. Throws UNKNOWN_COLUMN too if the path leads through a list or map. */
  findByName(name: string, caseSensitive = true): ColumnRef {
    const column = this.known(name, caseSensitive)
    if (column.inListOrMap) {
      throw new LakefoldError('UNKNOWN_COLUMN', `Column "${name}" lies in a list or map, which a path cannot enter`, {
        context: { column: name },
      })
    }
    return column
  }

  /** Like {@link lookup}, but throws UNKNOWN_COLUMN, with near names, if there is none. */
  known(name: string, caseSensitive = true): ColumnRef {
    const column = this.lookup(name, caseSensitive)
    if (column === undefined) {
      const near = nearNames(name, [...this.#names().keys()])
      const hint = near.length === 0 ? '' : `; did you mean ${near.map((text) => `"${text}"`).join(' or ')}?`
      throw new LakefoldError('UNKNOWN_COLUMN', `Unknown column "${name}"${hint}`, {
        context: { column: name, suggestions: near },
      })
    }
    return column
  }

  #ids(): Map<number, ColumnRef> {
    if (this.#byId === undefined) {
      const index = new Map<number, ColumnRef>()
      for (const column of walk(this.fields)) {
        const other = index.get(column.field.id)
        if (other !== undefined) {
          const id = column.field.id
          throw new LakefoldError(
            'CORRUPT_FILE',
            `Schema ${this.schemaId}: fields "${other.name}" and "${column.name}" share the id ${id}`,
            { context: { field: column.name, value: id } },
          )
        }
        index.set(column.field.id, column)
      }
      this.#byId = index
    }
    return this.#byId
  }

  #names(): Map<string, ColumnRef[]> {
    this.#byName ??= group(this.#ids().values(), (name) => name)
    return this.#byName
  }

  #lowerNames(): Map<string, ColumnRef[]> {
    this.#byLowerName ??= group(this.#ids().values(), (name) => name.toLowerCase())
    return this.#byLowerName
  }
}

function group(columns: Iterable<ColumnRef>, key: (name: string) => string): Map<string, ColumnRef[]> {
  const index = new Map<string, ColumnRef[]>()
  for (const column of columns) {
    const name = key(column.name)
    const list = index.get(name)
    if (list === undefined) index.set(name, [column])
    else list.push(column)
  }
  return index
}

/** Depth is bounded where types are parsed. */
function* walk(fields: readonly NestedField[], parent?: ColumnRef, repeated = false): Generator<ColumnRef> {
  for (const field of fields) {
    const column: ColumnRef = {
      field,
      name: parent === undefined ? field.name : `${parent.name}.${field.name}`,
      required: field.required && (parent?.required ?? true),
      path: parent === undefined ? [field] : [...parent.path, field],
      inListOrMap: repeated,
    }
    yield column
    yield* walk(childFields(field.type), column, repeated || field.type.kind !== 'struct')
  }
}

/** The fields of a nested type: a struct's own, or `element`, or `key` and `value`; none for a primitive. */
export function childFields(type: Type): readonly NestedField[] {
  switch (type.kind) {
    case 'struct':
      return type.fields
    case 'list':
      return [{ id: type.elementId, name: 'element', required: type.elementRequired, type: type.element }]
    case 'map':
      return [
        { id: type.keyId, name: 'key', required: true, type: type.key },
        { id: type.valueId, name: 'value', required: type.valueRequired, type: type.value },
      ]
    default:
      return []
  }
}
