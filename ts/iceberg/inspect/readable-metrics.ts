import { decodeBound } from '../../types/bounds.js'
import type { Schema } from '../../types/schema.js'
import type { NestedField, PrimitiveType } from '../../types/types.js'
import type { ManifestContentFile } from '../manifest/content-file.js'
import type { Cell } from './arrow.js'
import { optional, struct } from './columns.js'

interface MeasuredColumn {
  readonly id: number
  readonly name: string
  readonly type: PrimitiveType
}

/** The column `readable_metrics`: the metrics of every primitive column of the schema, by dotted name, with bounds as values. */
export class ReadableMetrics {
  readonly column: NestedField
  private readonly columns: readonly MeasuredColumn[]

  constructor(schema: Schema) {
    const columns: MeasuredColumn[] = []
    for (const { field, name } of schema.columns()) {
      const { type } = field
      if (type.kind === 'struct' || type.kind === 'list' || type.kind === 'map' || type.kind === 'variant') continue
      columns.push({ id: field.id, name, type })
    }
    this.columns = columns.sort((a, b) => (a.name < b.name ? -1 : 1))
    this.column = optional(
      'readable_metrics',
      struct(this.columns.map(({ name, type }) => optional(name, metrics(type)))),
    )
  }

  cell(file: ManifestContentFile): Cell {
    return this.columns.map(({ id, type }) => [
      file.columnSizes?.get(id),
      file.valueCount(id),
      file.nullCount(id),
      file.nanCount(id),
      bound(type, file.lowerBound(id)),
      bound(type, file.upperBound(id)),
    ])
  }
}

function metrics(type: PrimitiveType) {
  return struct([
    optional('column_size', 'long'),
    optional('value_count', 'long'),
    optional('null_value_count', 'long'),
    optional('nan_value_count', 'long'),
    optional('lower_bound', type),
    optional('upper_bound', type),
  ])
}

function bound(type: PrimitiveType, bytes: Uint8Array | undefined): Cell {
  return bytes === undefined ? undefined : decodeBound(type, bytes)
}
