import { canonical } from './json.js'
import type { Column, ColumnType } from './schema.js'

/**
 * A map's entries in one order: a map has none of its own. The cases have the order of the hash map that Java's reader made,
 * which is not the file's where the file is ORC.
 */
export function sortedMap(pairs: readonly [unknown, unknown][]): [unknown, unknown][] {
  const keyed = pairs.map((pair) => [canonical(pair[0]), pair] as const)
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, pair]) => pair)
}

/** Whether a type holds a map at any depth. */
export function hasMap(type: ColumnType): boolean {
  if (type.kind === 'map') return true
  if (type.kind === 'list') return hasMap(type.element)
  return type.kind === 'struct' && type.fields.some((field) => hasMap(field.type))
}

/** A value of a case's row with all its maps sorted. */
export function withSortedMaps(value: unknown, type: ColumnType): unknown {
  if (value === null || value === undefined) return value
  if (type.kind === 'list') return (value as unknown[]).map((element) => withSortedMaps(element, type.element))
  if (type.kind === 'map') {
    const pairs = (value as [unknown, unknown][]).map(([key, item]): [unknown, unknown] => [
      withSortedMaps(key, type.key),
      withSortedMaps(item, type.value),
    ])
    return sortedMap(pairs)
  }
  return type.kind === 'struct' ? sortFields(value as { [name: string]: unknown }, type.fields) : value
}

/** A row, or a struct, with the maps of its fields sorted. */
export function sortFields(row: { [name: string]: unknown }, fields: readonly Column[]): { [name: string]: unknown } {
  const out = { ...row }
  for (const field of fields) if (field.name in out) out[field.name] = withSortedMaps(out[field.name], field.type)
  return out
}
