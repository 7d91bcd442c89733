/** A field of a table or of a ROW. Ids are unique in a table at every depth and stay with a field through renames. */
export interface PaimonField {
  readonly id: number
  readonly name: string
  readonly type: PaimonType
  readonly description?: string
  readonly defaultValue?: string
}

export type SimpleKind =
  | 'boolean'
  | 'tinyint'
  | 'smallint'
  | 'int'
  | 'bigint'
  | 'float'
  | 'double'
  | 'date'
  | 'variant'
  | 'blob'

/** A Paimon data type. All of it immutable. */
export type PaimonType = { readonly nullable: boolean } & (
  | { readonly kind: SimpleKind }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  /** Lengths are characters for char and varchar, bytes for the others; STRING and BYTES have {@link MAX_LENGTH}. */
  | { readonly kind: 'char' | 'varchar' | 'binary' | 'varbinary'; readonly length: number }
  /** Digits of the fraction of a second. */
  | { readonly kind: 'time' | 'timestamp' | 'timestamp_ltz'; readonly precision: number }
  | { readonly kind: 'geometry'; readonly crs?: string }
  | { readonly kind: 'geography'; readonly crs?: string; readonly algorithm?: string }
  | { readonly kind: 'array' | 'multiset'; readonly element: PaimonType }
  | { readonly kind: 'vector'; readonly element: PaimonType; readonly length: number }
  | { readonly kind: 'map'; readonly key: PaimonType; readonly value: PaimonType }
  | { readonly kind: 'row'; readonly fields: readonly PaimonField[] }
)

/** The length of STRING and BYTES. */
export const MAX_LENGTH = 2 ** 31 - 1

const NAMES: Readonly<Record<SimpleKind, string>> = {
  boolean: 'BOOLEAN',
  tinyint: 'TINYINT',
  smallint: 'SMALLINT',
  int: 'INT',
  bigint: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  date: 'DATE',
  variant: 'VARIANT',
  blob: 'BLOB',
}

/** The type as the reference prints it, such as `DECIMAL(10, 2) NOT NULL` or ``ROW<`a` INT>``. */
export function typeText(type: PaimonType): string {
  return type.nullable ? baseText(type) : `${baseText(type)} NOT NULL`
}

function baseText(type: PaimonType): string {
  switch (type.kind) {
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`
    case 'char':
      return `CHAR(${type.length})`
    case 'varchar':
      return type.length === MAX_LENGTH ? 'STRING' : `VARCHAR(${type.length})`
    case 'binary':
      return `BINARY(${type.length})`
    case 'varbinary':
      return type.length === MAX_LENGTH ? 'BYTES' : `VARBINARY(${type.length})`
    case 'time':
      return `TIME(${type.precision})`
    case 'timestamp':
      return `TIMESTAMP(${type.precision})`
    case 'timestamp_ltz':
      return `TIMESTAMP(${type.precision}) WITH LOCAL TIME ZONE`
    case 'geometry':
      return type.crs === undefined ? 'GEOMETRY' : `GEOMETRY(${type.crs})`
    case 'geography': {
      const parts = [type.crs, type.algorithm].filter((part) => part !== undefined)
      return parts.length === 0 ? 'GEOGRAPHY' : `GEOGRAPHY(${parts.join(', ')})`
    }
    case 'array':
      return `ARRAY<${typeText(type.element)}>`
    case 'multiset':
      return `MULTISET<${typeText(type.element)}>`
    case 'vector':
      return `VECTOR<${typeText(type.element)}, ${type.length}>`
    case 'map':
      return `MAP<${typeText(type.key)}, ${typeText(type.value)}>`
    case 'row':
      return `ROW<${type.fields.map((field) => `\`${field.name}\` ${typeText(field.type)}`).join(', ')}>`
    default:
      return NAMES[type.kind]
  }
}

/** Whether two types are the same, nullability included only if asked for; fields of rows by id and type. */
export function sameType(a: PaimonType, b: PaimonType, options: { nullability: boolean }): boolean {
  if (options.nullability && a.nullable !== b.nullable) return false
  if (a.kind === 'row') {
    return (
      b.kind === 'row' &&
      a.fields.length === b.fields.length &&
      a.fields.every((field, i) => field.id === b.fields[i]!.id && sameType(field.type, b.fields[i]!.type, options))
    )
  }
  if (a.kind === 'map')
    return b.kind === 'map' && sameType(a.key, b.key, options) && sameType(a.value, b.value, options)
  if (a.kind === 'vector')
    return b.kind === 'vector' && a.length === b.length && sameType(a.element, b.element, options)
  if (a.kind === 'array' || a.kind === 'multiset') {
    return b.kind === a.kind && sameType(a.element, (b as typeof a).element, options)
  }
  return baseText(a) === baseText(b)
}
