import type { Schema } from '../types/schema.js'
import { RESERVED_IDS } from '../types/select.js'

/**
 * Field ids of the named columns, in their order and each once; all top-level ones if nothing is named. Metadata columns are left
 * out, and so is a column whose parent is named too.
 */
export function projectedFieldIds(
  schema: Schema,
  columns: readonly string[] | undefined,
  caseSensitive: boolean,
): number[] {
  if (columns === undefined) return schema.fields.map((field) => field.id)
  const named = columns.flatMap((name) => {
    const isMetadata = Object.hasOwn(RESERVED_IDS, caseSensitive ? name : name.toLowerCase())
    const column = schema.lookup(name, caseSensitive)
    return column === undefined && isMetadata ? [] : [column ?? schema.known(name, caseSensitive)]
  })
  const ids = new Set(named.map((column) => column.field.id))
  const inNamedParent = (path: readonly { id: number }[]) => path.slice(0, -1).some((field) => ids.has(field.id))
  return [...new Set(named.filter(({ path }) => !inNamedParent(path)).map((column) => column.field.id))]
}
