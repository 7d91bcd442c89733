import { bind } from '../../../ts/expr/bind.js'
import type { BoundExpression, FileMetrics, PartitionExpression } from '../../../ts/expr/node.js'
import { type FilterInput, parseFilter } from '../../../ts/expr/parse.js'
import { parseSchema, parseTransform } from '../../../ts/types/json.js'
import type { PartitionSpec } from '../../../ts/types/partition.js'
import type { Schema } from '../../../ts/types/schema.js'
import { valueToJson } from '../../../ts/types/single-value.js'
import { transformToText } from '../../../ts/types/transform-text.js'
import type { JsonValue } from '../../../ts/types/types.js'

/** One column of every primitive type (`!` marks required ones), and nested ones. */
export const schema: Schema = parseSchema({
  type: 'struct',
  'schema-id': 0,
  fields: [
    field(1, 'id', 'long', true),
    field(2, 'region', 'string'),
    field(3, 'price', 'decimal(9,2)'),
    field(4, 'at', 'timestamp'),
    field(5, 'seen', 'timestamptz'),
    field(6, 'i', 'int'),
    field(7, 'l', 'long'),
    field(8, 'f', 'float'),
    field(9, 'd', 'double'),
    field(10, 'b', 'boolean'),
    field(11, 'day', 'date'),
    field(12, 'time', 'time'),
    field(13, 'an', 'timestamp_ns'),
    field(14, 'zn', 'timestamptz_ns'),
    field(15, 'u', 'uuid'),
    field(16, 'fx', 'fixed[4]'),
    field(17, 'bin', 'binary'),
    field(18, 'st', {
      type: 'struct',
      fields: [field(19, 'a', 'long', true), field(20, 's', 'string')],
    }),
    field(21, 'rs', { type: 'struct', fields: [field(22, 'a', 'long', true), field(23, 'o', 'int')] }, true),
    field(24, 'li', { type: 'list', 'element-id': 25, element: 'int', 'element-required': false }),
    field(26, 'm', { type: 'map', 'key-id': 27, key: 'string', 'value-id': 28, value: 'int', 'value-required': false }),
    field(29, 'v', 'variant'),
    field(30, 'unk', 'unknown'),
    field(31, 'dotted.name', 'int'),
    field(32, 'geo', 'geometry'),
  ],
})

function field(id: number, name: string, type: JsonValue, required = false): JsonValue {
  return { id, name, type, required }
}

export function bound(input: FilterInput, options: { caseSensitive?: boolean } = {}): BoundExpression {
  return bind(parseFilter(input), schema, { caseSensitive: options.caseSensitive ?? true })
}

/** A spec whose fields are `[source column, transform]`. */
export function spec(...fields: readonly (readonly [string, string])[]): PartitionSpec {
  return {
    specId: 0,
    fields: fields.map(([column, transform], i) => ({
      fieldId: 1000 + i,
      name: `${column}_${i}`,
      sourceIds: [schema.findByName(column).field.id],
      transform: parseTransform(transform),
    })),
  }
}

export const sourceTypes = (id: number) => schema.findField(id)?.type

/** A partition expression as readable text: `lt-eq bucket[4](5)`. */
export function showPartition(expression: PartitionExpression): string {
  switch (expression.op) {
    case 'true':
    case 'false':
      return expression.op
    case 'and':
    case 'or':
      return `${expression.op}(${expression.children.map(showPartition).join('; ')})`
    default: {
      const literals = expression.literals.map(
        (literal) => literal.text ?? String(valueToJson(expression.type, literal.value)),
      )
      return [expression.op, transformToText(expression.field.transform), literals.join(',')].join(' ').trim()
    }
  }
}

export interface Counts {
  readonly rows?: bigint
  readonly values?: bigint
  readonly nulls?: bigint
  readonly nans?: bigint
  readonly lower?: Uint8Array
  readonly upper?: Uint8Array
}

/** A file whose columns all have the same metrics. */
export function file(counts: Counts): FileMetrics {
  return {
    recordCount: counts.rows ?? 10n,
    valueCount: () => counts.values,
    nullCount: () => counts.nulls,
    nanCount: () => counts.nans,
    lowerBound: () => counts.lower,
    upperBound: () => counts.upper,
  }
}

export function int32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setInt32(0, value, true)
  return bytes
}

export function int64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value, true)
  return bytes
}

export function float64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setFloat64(0, value, true)
  return bytes
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}
