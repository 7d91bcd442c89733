import { LakefoldError } from '../../base/errors.js'
import { byOrder } from '../../types/compare.js'
import type { DataFileMeta } from '../metadata/data-file.js'

/** Row ids, both ends inclusive. */
export interface RowRange {
  readonly from: bigint
  readonly to: bigint
}

/** Checks ranges, sorts them and joins those that touch. */
export function rowRanges(ranges: Iterable<readonly [number | bigint, number | bigint]>): readonly RowRange[] {
  const sorted = [...ranges]
    .map(([from, to]) => {
      const range = { from: BigInt(from), to: BigInt(to) }
      if (range.from >= 0n && range.from <= range.to) return range
      throw new LakefoldError('INVALID_ARGUMENT', `${from} to ${to} is no range of row ids`, {
        context: { field: 'rowRanges', value: [from, to] },
      })
    })
    .sort((a, b) => byOrder(a.from, b.from))
  const joined: RowRange[] = []
  for (const range of sorted) {
    const last = joined.at(-1)
    if (last === undefined || range.from > last.to + 1n) joined.push(range)
    else if (range.to > last.to) joined[joined.length - 1] = { from: last.from, to: range.to }
  }
  return joined
}

/** The ids that are in both; each sorted and joined. */
export function intersectRanges(a: readonly RowRange[], b: readonly RowRange[]): readonly RowRange[] {
  const both: RowRange[] = []
  let [i, j] = [0, 0]
  for (let [x, y] = [a[i], b[j]]; x !== undefined && y !== undefined; [x, y] = [a[i], b[j]]) {
    const range = { from: x.from > y.from ? x.from : y.from, to: x.to < y.to ? x.to : y.to }
    if (range.from <= range.to) both.push(range)
    if (x.to < y.to) i++
    else j++
  }
  return both
}

/** Whether a file may hold rows of the ranges; one without row ids may. */
export function meetsRanges(file: DataFileMeta, ranges: readonly RowRange[] | undefined): boolean {
  const first = file.firstRowId
  if (ranges === undefined || first === undefined) return true
  const last = first + file.rowCount - 1n
  return ranges.some(({ from, to }) => from <= last && to >= first)
}
