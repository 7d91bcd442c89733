import { Schema } from '../../types/schema.js'
import { RESERVED_IDS } from '../../types/select.js'
import type { NestedField } from '../../types/types.js'
import { DATA_EVOLUTION_ENABLED, ROW_TRACKING_ENABLED } from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import { allOf, anyOf, isLeaf, type Predicate, type PredicateLeaf, referencedIds } from './predicate.js'
import { intersectRanges, type RowRange, rowRanges } from './row-ranges.js'

/** The id of a row, as filters and selections name it. */
export const ROW_ID: NestedField = {
  id: RESERVED_IDS._row_id,
  name: '_ROW_ID',
  required: false,
  type: { kind: 'long' },
}

const LAST = 2n ** 63n - 1n

/** Whether the rows of a table have ids. */
export function tracksRows({ options }: TableSchema): boolean {
  return options.get(ROW_TRACKING_ENABLED) || options.get(DATA_EVOLUTION_ENABLED)
}

/** The schema that filters of rows bind to: with the row's id where rows have one. */
export function filterSchema(schema: TableSchema): Schema {
  const shared = schema.asShared
  return tracksRows(schema) ? new Schema({ schemaId: shared.schemaId, fields: [...shared.fields, ROW_ID] }) : shared
}

/** The row ids that a filter lets through; undefined where it says nothing of them. */
export function rowIdRanges(predicate: Predicate): readonly RowRange[] | undefined {
  if (!referencedIds(predicate).has(ROW_ID.id)) return undefined
  return rangesOf(predicate)
}

function rangesOf(predicate: Predicate): readonly RowRange[] | undefined {
  if (isLeaf(predicate)) return predicate.term.fieldId === ROW_ID.id ? leafRanges(predicate) : undefined
  if (predicate.op === 'false') return []
  if (!('children' in predicate)) return undefined
  const parts = predicate.children.map(rangesOf)
  const known = parts.filter((part) => part !== undefined)
  if (predicate.op === 'and') return known.length === 0 ? undefined : known.reduce(intersectRanges)
  return known.length < parts.length ? undefined : joined(known.flat())
}

function leafRanges({ op, literals }: PredicateLeaf): readonly RowRange[] | undefined {
  const ids = literals.map(({ value }) => value as bigint)
  const [id = 0n] = ids
  switch (op) {
    case 'eq':
    case 'in':
      return joined(ids.map((one) => ({ from: one, to: one })))
    case 'lt':
      return joined([{ from: 0n, to: id - 1n }])
    case 'lt-eq':
      return joined([{ from: 0n, to: id }])
    case 'gt':
      return joined([{ from: id + 1n, to: LAST }])
    case 'gt-eq':
      return joined([{ from: id, to: LAST }])
    default:
      return undefined
  }
}

/** Ranges of ids that can be, sorted and joined. */
function joined(ranges: readonly RowRange[]): readonly RowRange[] {
  const lawful = ranges.map(({ from, to }) => [from < 0n ? 0n : from, to > LAST ? LAST : to] as const)
  return rowRanges(lawful.filter(([from, to]) => from <= to))
}

/** The filter without what it says of row ids, which no statistics tell: it lets no fewer rows through. */
export function withoutRowIds(predicate: Predicate): Predicate {
  if (isLeaf(predicate)) return predicate.term.fieldId === ROW_ID.id ? { op: 'true' } : predicate
  if (!('children' in predicate)) return predicate
  const children = predicate.children.map(withoutRowIds)
  return predicate.op === 'and' ? allOf(children) : anyOf(children)
}
