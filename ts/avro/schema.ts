import { LakefoldError } from '../base/errors.js'
import { parseJson } from '../base/json.js'
import type { JsonValue } from '../types/types.js'

/** A field of a record; `id` is the `field-id` that Iceberg's writers put there. */
export interface AvroField {
  readonly name: string
  readonly id: number | undefined
  readonly schema: AvroSchema
}

export type AvroPrimitive = 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string'

/** A writer's schema (Avro specification, "Schema Declaration") with what Iceberg adds to it. Named types are resolved; there is no cycle. */
export type AvroSchema = { readonly logicalType?: string } & (
  | { readonly kind: AvroPrimitive }
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array'; readonly items: AvroSchema }
  | { readonly kind: 'map'; readonly values: AvroSchema }
  | { readonly kind: 'union'; readonly branches: readonly AvroSchema[] }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[] }
)

const PRIMITIVES: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'bytes',
  'string',
])
const MAX_DEPTH = 64
/** Nodes of the schema with each named type written out: bounds what decoding a record of no bytes can cost. */
const MAX_NODES = 10_000

/** Parses the schema of an Avro file. CORRUPT_FILE naming the file if it is none, or refers to itself, which Iceberg schemas never do. */
export function parseAvroSchema(text: string, file: string): AvroSchema {
  return new SchemaParser(file).parse(parseJson(text, `${file} (avro.schema)`), '', 0).schema
}

interface Sized {
  readonly schema: AvroSchema
  readonly nodes: number
}

class SchemaParser {
  /** Named types by full name; `open` while its own definition is being read. */
  private readonly named = new Map<string, Sized | 'open'>()

  constructor(private readonly file: string) {}

  parse(json: JsonValue, namespace: string, depth: number): Sized {
    if (depth > MAX_DEPTH) this.fail(`is nested deeper than ${MAX_DEPTH} levels`)
    if (typeof json === 'string') return this.reference(json, namespace)
    if (Array.isArray(json)) {
      const branches = json.map((branch) => this.parse(branch, namespace, depth + 1))
      return this.sized({ kind: 'union', branches: branches.map((b) => b.schema) }, branches)
    }
    if (typeof json !== 'object' || json === null) return this.fail(`holds ${String(json)} where a type should be`)
    const object = json as Readonly<Record<string, JsonValue>>
    const logicalType = typeof object.logicalType === 'string' ? { logicalType: object.logicalType } : undefined
    const type = object.type
    switch (type) {
      case 'record':
      case 'error':
        return this.define(object, namespace, (inner) => this.record(object, inner, depth))
      case 'enum':
        return this.define(object, namespace, () => {
          const symbols = object.symbols
          if (!Array.isArray(symbols)) return this.fail('has an enum without symbols')
          return this.sized({ kind: 'enum', symbols: symbols.map(String) }, [])
        })
      case 'fixed':
        return this.define(object, namespace, () => {
          const size = object.size
          if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > 2 ** 31) {
            return this.fail(`has a fixed type of size ${String(size)}`)
          }
          return this.sized({ kind: 'fixed', size, ...logicalType }, [])
        })
      case 'array': {
        const items = this.parse(object.items ?? null, namespace, depth + 1)
        return this.sized({ kind: 'array', items: items.schema, ...logicalType }, [items])
      }
      case 'map': {
        const values = this.parse(object.values ?? null, namespace, depth + 1)
        return this.sized({ kind: 'map', values: values.schema, ...logicalType }, [values])
      }
      default: {
        const inner = this.parse(type ?? null, namespace, depth + 1)
        return logicalType === undefined ? inner : { ...inner, schema: { ...inner.schema, ...logicalType } }
      }
    }
  }

  private record(object: Readonly<Record<string, JsonValue>>, namespace: string, depth: number): Sized {
    if (!Array.isArray(object.fields)) return this.fail('has a record without fields')
    const types: Sized[] = []
    const fields = object.fields.map((json: JsonValue): AvroField => {
      const field = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, JsonValue>>
      const id = field['field-id']
      if (id !== undefined && typeof id !== 'number') this.fail(`has the field-id ${String(id)}`)
      const type = this.parse(field.type ?? null, namespace, depth + 1)
      types.push(type)
      return { name: String(field.name), id: id as number | undefined, schema: type.schema }
    })
    return this.sized({ kind: 'record', fields }, types)
  }

  private define(
    object: Readonly<Record<string, JsonValue>>,
    outer: string,
    read: (namespace: string) => Sized,
  ): Sized {
    if (typeof object.name !== 'string') return this.fail(`has a ${String(object.type)} without a name`)
    const dot = object.name.lastIndexOf('.')
    const given = typeof object.namespace === 'string' ? object.namespace : outer
    const namespace = dot >= 0 ? object.name.slice(0, dot) : given
    const name = fullName(object.name.slice(dot + 1), namespace)
    if (this.named.has(name)) return this.fail(`defines ${name} twice`)
    this.named.set(name, 'open')
    const type = read(namespace)
    this.named.set(name, type)
    return type
  }

  private reference(name: string, namespace: string): Sized {
    if (PRIMITIVES.has(name)) return { schema: { kind: name as AvroPrimitive }, nodes: 1 }
    const type = this.named.get(name.includes('.') ? name : fullName(name, namespace)) ?? this.named.get(name)
    if (type === undefined) return this.fail(`names a type "${name}" that it does not define`)
    if (type === 'open') return this.fail(`has a type "${name}" that holds itself`)
    return type
  }

  private sized(schema: AvroSchema, children: readonly Sized[]): Sized {
    const nodes = children.reduce((sum, child) => sum + child.nodes, 1)
    if (nodes > MAX_NODES) this.fail(`has more than ${MAX_NODES} types`)
    return { schema, nodes }
  }

  private fail(what: string): never {
    throw new LakefoldError('CORRUPT_FILE', `${this.file}: its Avro schema ${what}`, { context: { file: this.file } })
  }
}

function fullName(name: string, namespace: string): string {
  return namespace === '' ? name : `${namespace}.${name}`
}

/** The branch of a nullable type that is not null; the schema itself where it is no union of null and one other. */
export function withoutNull(schema: AvroSchema): AvroSchema {
  if (schema.kind !== 'union') return schema
  const rest = schema.branches.filter((branch) => branch.kind !== 'null')
  return rest.length === 1 ? rest[0]! : schema
}

/** The least number of bytes that a value takes. */
export function minBytes(schema: AvroSchema): number {
  switch (schema.kind) {
    case 'null':
      return 0
    case 'fixed':
      return schema.size
    case 'float':
      return 4
    case 'double':
      return 8
    case 'record':
      return schema.fields.reduce((sum, field) => sum + minBytes(field.schema), 0)
    default:
      return 1
  }
}
