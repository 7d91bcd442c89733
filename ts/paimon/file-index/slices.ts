import { RowSet } from './row-set.js'

/** Rows whose value is below, equal to and above another. */
export interface Compared {
  readonly below: RowSet
  readonly equal: RowSet
  readonly above: RowSet
}

/** Compares whole numbers kept as bit slices with `value`; `present` are the rows that have a number, slice i those with bit i set. */
export function compareSlices(present: RowSet, slices: readonly RowSet[], value: bigint): Compared {
  const none = RowSet.none(present.size)
  if (value < 0n) return { below: none, equal: none, above: present }
  if (value >> BigInt(slices.length) !== 0n) return { below: present, equal: none, above: none }
  let [below, equal, above] = [none, present, none]
  for (let i = slices.length - 1; i >= 0; i--) {
    const slice = slices[i] as RowSet
    if ((value >> BigInt(i)) & 1n) {
      below = below.or(equal.andNot(slice))
      equal = equal.and(slice)
    } else {
      above = above.or(equal.and(slice))
      equal = equal.andNot(slice)
    }
  }
  return { below, equal, above }
}
