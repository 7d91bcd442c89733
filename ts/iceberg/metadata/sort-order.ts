import type { JsonObject } from '../../base/json-object.js'
import type { Transform } from '../../types/partition.js'
import { parseTransform } from '../../types/transform-text.js'

export interface SortField {
  readonly sourceIds: readonly number[]
  readonly transform: Transform
  readonly direction: 'asc' | 'desc'
  readonly nullOrder: 'nulls-first' | 'nulls-last'
}

/** A sort order (Iceberg spec, "Sorting"); order 0 has no fields. */
export interface SortOrder {
  readonly orderId: number
  readonly fields: readonly SortField[]
}

export const UNSORTED: SortOrder = { orderId: 0, fields: [] }

export function parseSortOrder(json: JsonObject): SortOrder {
  return {
    orderId: json.int('order-id'),
    fields: json.objects('fields').map((field) => {
      const sourceIds = field.optInts('source-ids') ?? [field.int('source-id')]
      const text = field.string('transform')
      const direction = field.string('direction').toLowerCase()
      if (direction !== 'asc' && direction !== 'desc') {
        return field.fail('direction', 'must be asc or desc', direction)
      }
      const nullOrder = field.string('null-order').toLowerCase()
      if (nullOrder !== 'nulls-first' && nullOrder !== 'nulls-last') {
        return field.fail('null-order', 'must be nulls-first or nulls-last', nullOrder)
      }
      const transform: Transform = sourceIds.length === 1 ? parseTransform(text) : { kind: 'unknown', text }
      return { sourceIds, transform, direction, nullOrder }
    }),
  }
}
