import type { ColumnRef, Schema } from '../../types/schema.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { KeyColumns } from './key-overlap.js'

/**
 * Columns of equality keys: by id in the scan's schema, else in the newest other schema that has it, so that a
 * column dropped since still counts.
 */
export function keyColumnsOf(metadata: TableMetadata, schema: Schema): KeyColumns {
  const newestFirst = metadata.schemas.toSorted((a, b) => b.schemaId - a.schemaId)
  const known = new Map<number, ColumnRef | undefined>()
  return (id) => {
    if (!known.has(id)) {
      const holder = [schema, ...newestFirst].find((candidate) => candidate.findColumn(id) !== undefined)
      known.set(id, holder?.findColumn(id))
    }
    return known.get(id)
  }
}
