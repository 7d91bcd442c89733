import type { BoundExpression, BoundLiteral, BoundPredicate } from '../../expr/node.js'
import { sharedType } from '../metadata/shared-type.js'
import type { PaimonField, PaimonType } from '../metadata/types.js'
import { BitmapIndex } from './bitmap.js'
import { BloomIndex } from './bloom.js'
import { BitSliceIndex } from './bsi.js'
import type { ColumnIndex, FileIndex } from './container.js'
import { type KeyLiteral, keyLiteral } from './key.js'
import { RangeBitmapIndex } from './range-bitmap.js'
import { MAX_INDEXED_ROWS, type RowIndex } from './row-index.js'
import { RowSet } from './row-set.js'

/** What the indexes of a file say about a filter. */
export interface FileIndexResult {
  /** False: no row of the file can match. */
  readonly keep: boolean
  /** The rows that may match, in file order before any deletion; undefined: any. */
  readonly rows: RowSet | undefined
}

/** A filter's possible rows: a set, none at all, or any. */
type Rows = RowSet | 'none' | 'any'

/**
 * Evaluates a bound filter on the indexes of a file: what cannot be told may match. `fieldOf` gives the field of the schema that the file
 * was written with; a column that it does not have, or has with another type, is not told from the index. Errors name the index's file.
 */
export function evaluateFileIndex(
  filter: BoundExpression,
  index: FileIndex,
  fieldOf: (fieldId: number) => PaimonField | undefined,
  rowCount: bigint,
): FileIndexResult {
  if (rowCount <= 0n || rowCount > BigInt(MAX_INDEXED_ROWS)) return { keep: true, rows: undefined }
  const rows = new Evaluator(index, fieldOf, Number(rowCount)).node(filter)
  if (rows === 'any') return { keep: true, rows: undefined }
  return rows === 'none' || rows.isEmpty ? { keep: false, rows: undefined } : { keep: true, rows }
}

class Evaluator {
  constructor(
    private readonly index: FileIndex,
    private readonly fieldOf: (fieldId: number) => PaimonField | undefined,
    private readonly size: number,
  ) {}

  node(filter: BoundExpression): Rows {
    switch (filter.op) {
      case 'true':
        return 'any'
      case 'false':
        return 'none'
      case 'and': {
        let rows: Rows = 'any'
        for (const child of filter.children) {
          rows = both(rows, this.node(child))
          if (rows === 'none') break
        }
        return rows
      }
      case 'or': {
        let rows: Rows = 'none'
        for (const child of filter.children) {
          rows = either(rows, this.node(child))
          if (rows === 'any') break
        }
        return rows
      }
      default:
        return this.leaf(filter)
    }
  }

  private leaf(predicate: BoundPredicate): Rows {
    const { term } = predicate
    if (term.transform !== undefined && term.transform.kind !== 'identity') return 'any'
    const field = this.fieldOf(term.fieldId)
    if (field === undefined || !sameShared(field.type, term.type)) return 'any'
    let rows: Rows = 'any'
    for (const one of this.index.get(field.name) ?? []) rows = both(rows, this.indexed(predicate, field.type, one))
    return rows
  }

  private indexed(predicate: BoundPredicate, type: PaimonType, { type: kind, body }: ColumnIndex): Rows {
    if (body === undefined) return onlyNulls(predicate)
    switch (kind) {
      case 'bloom-filter':
        return bloomRows(predicate, type, new BloomIndex(type, body))
      case 'bitmap':
        return rowsOf(predicate, type, BitmapIndex.of(type, body, this.size))
      case 'bsi':
        return takesLongs(type) ? rowsOf(predicate, type, new BitSliceIndex(body, this.size)) : 'any'
      case 'range-bitmap':
        return rowsOf(predicate, type, RangeBitmapIndex.of(type, body, this.size))
      default:
        return 'any'
    }
  }
}

function both(a: Rows, b: Rows): Rows {
  if (a === 'none' || b === 'none') return 'none'
  if (a === 'any') return b
  if (b === 'any') return a
  const rows = a.and(b)
  return rows.isEmpty ? 'none' : rows
}

function either(a: Rows, b: Rows): Rows {
  if (a === 'any' || b === 'any') return 'any'
  if (a === 'none') return b
  return b === 'none' ? a : a.or(b)
}

function sameShared(type: PaimonType, wanted: BoundPredicate['term']['type']): boolean {
  const shared = sharedType(type, 0)
  if (shared.kind !== wanted.kind) return false
  return shared.kind !== 'decimal' || (wanted.kind === 'decimal' && shared.scale === wanted.scale)
}

function takesLongs(type: PaimonType): boolean {
  const kinds = ['tinyint', 'smallint', 'int', 'bigint', 'date', 'time', 'timestamp', 'timestamp_ltz', 'decimal']
  return kinds.includes(type.kind)
}

/** A column of nulls: they satisfy what a null does (Iceberg's row semantics, which bound filters have). */
function onlyNulls({ op }: BoundPredicate): Rows {
  return op === 'is-null' || (op.startsWith('not-') && op !== 'not-null') ? 'any' : 'none'
}

function literalsOf(predicate: BoundPredicate, type: PaimonType): readonly KeyLiteral[] | undefined {
  const keys = predicate.literals.map(({ value, exact }: BoundLiteral) => keyLiteral(type, value, exact))
  return keys.every((key) => key !== undefined) ? keys : undefined
}

function bloomRows(predicate: BoundPredicate, type: PaimonType, index: BloomIndex): Rows {
  if (predicate.op !== 'eq' && predicate.op !== 'in') return 'any'
  const literals = literalsOf(predicate, type)
  if (literals === undefined) return 'any'
  return literals.some(({ key, exact }) => exact && index.mayHave(key) !== false) ? 'any' : 'none'
}

function rowsOf(predicate: BoundPredicate, type: PaimonType, index: RowIndex | undefined): Rows {
  if (index === undefined) return 'any'
  switch (predicate.op) {
    case 'is-null':
      return index.nulls()
    case 'not-null':
      return index.nulls().not()
  }
  const literals = literalsOf(predicate, type)
  const [literal] = literals ?? []
  if (literals === undefined || literal === undefined) return 'any'
  switch (predicate.op) {
    case 'eq':
    case 'in':
      return equalTo(index, literals)
    case 'not-eq':
    case 'not-in':
      // Nulls satisfy these; keys that are coarser than values do not tell rows apart.
      return literals.some(({ coarse }) => coarse) ? 'any' : equalTo(index, literals).not()
    case 'lt':
    case 'lt-eq':
    case 'gt':
    case 'gt-eq':
      return ordered(predicate.op, index, literal)
    default:
      return 'any'
  }
}

function equalTo(index: RowIndex, literals: readonly KeyLiteral[]): RowSet {
  const exact = literals.filter((literal) => literal.exact)
  return exact.reduce((rows, { key }) => rows.or(index.equal(key)), RowSet.none(index.rowCount))
}

function ordered(op: 'lt' | 'lt-eq' | 'gt' | 'gt-eq', index: RowIndex, { key, exact, coarse }: KeyLiteral): Rows {
  const compared = index.compare(key)
  if (compared === undefined) return 'any'
  const { below, equal, above } = compared
  // A literal that is not exact lies above its key and below the next.
  if (op === 'lt' || op === 'lt-eq') return op === 'lt-eq' || !exact || coarse ? below.or(equal) : below
  return coarse || (op === 'gt-eq' && exact) ? above.or(equal) : above
}
