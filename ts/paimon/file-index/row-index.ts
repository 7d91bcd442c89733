import type { Key } from './key.js'
import type { RowSet } from './row-set.js'
import type { Compared } from './slices.js'

/** An index that tells the rows of a value exactly. */
export interface RowIndex {
  /** Rows of the file, by the index. */
  readonly rowCount: number
  nulls(): RowSet
  equal(key: Key): RowSet
  /** Undefined where the index knows no order. */
  compare(key: Key): Compared | undefined
}

/** More rows than an index is evaluated for: a set of them would take too much memory for what it can save. */
export const MAX_INDEXED_ROWS = 2 ** 28
