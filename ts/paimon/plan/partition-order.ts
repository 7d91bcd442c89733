import { compareValues } from '../../types/compare.js'
import type { Value } from '../../types/types.js'
import type { TableSchema } from '../metadata/schema.js'
import { sharedType } from '../metadata/shared-type.js'
import type { FileEntry } from './live-entry.js'

/** The order of groups of entries by partition value, null first, then bucket. */
export function partitionOrder(schema: TableSchema): (a: readonly FileEntry[], b: readonly FileEntry[]) => number {
  const orders = schema.partitionFields.map((field) => compareValues(sharedType(field.type, field.id)))
  return ([a], [b]) => {
    for (let i = 0; i < orders.length; i++) {
      const [x, y] = [a?.partition.values[i] ?? null, b?.partition.values[i] ?? null]
      const order =
        x === null || y === null ? Number(x !== null) - Number(y !== null) : orders[i]?.(x as Value, y as Value)
      if (order !== undefined && order !== 0) return order
    }
    return (a?.bucket ?? 0) - (b?.bucket ?? 0)
  }
}
