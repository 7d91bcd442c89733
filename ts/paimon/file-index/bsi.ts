import { placedError } from '../metadata/errors.js'
import type { Cursor } from './cursor.js'
import type { Key } from './key.js'
import { readRoaring } from './roaring.js'
import type { RowIndex } from './row-index.js'
import { RowSet } from './row-set.js'
import { type Compared, compareSlices } from './slices.js'

const MAX_SLICES = 64

interface Half {
  readonly min: bigint
  readonly present: RowSet
  readonly slices: readonly RowSet[]
}

/** A bit-sliced index of whole numbers: one half for those from zero on, one for the magnitudes of those below. */
export class BitSliceIndex implements RowIndex {
  readonly rowCount: number
  private readonly positive: Half
  private readonly negative: Half

  constructor(body: Cursor, rowCount: number) {
    body.at = 0
    checkVersion(body)
    this.rowCount = body.int()
    if (this.rowCount !== rowCount) body.fail(`is over ${this.rowCount} rows of a file of ${rowCount}`)
    this.positive = readHalf(body, rowCount)
    this.negative = readHalf(body, rowCount)
  }

  nulls(): RowSet {
    return this.positive.present.or(this.negative.present).not()
  }

  equal(key: Key): RowSet {
    return this.compare(key).equal
  }

  compare(key: Key): Compared {
    const value = key as bigint
    const { positive, negative } = this
    if (value >= 0n) {
      const { below, equal, above } = compareHalf(positive, value)
      return { below: below.or(negative.present), equal, above }
    }
    const magnitude = compareHalf(negative, -value)
    return { below: magnitude.above, equal: magnitude.equal, above: magnitude.below.or(positive.present) }
  }
}

function compareHalf(half: Half, value: bigint): Compared {
  return compareSlices(half.present, half.slices, value - half.min)
}

function readHalf(body: Cursor, size: number): Half {
  if (!body.boolean()) return { min: 0n, present: RowSet.none(size), slices: [] }
  checkVersion(body)
  const min = body.long()
  // The maximum: the slices hold every value up to it.
  body.long()
  const present = readRoaring(body, size)
  const count = body.int()
  if (count < 0 || count > MAX_SLICES) body.fail(`has ${count} bit slices`)
  return { min, present, slices: Array.from({ length: count }, () => readRoaring(body, size)) }
}

function checkVersion(body: Cursor): void {
  const version = body.byte()
  if (version !== 1) throw placedError('UNSUPPORTED', body.place, `has the version ${version}`, version)
}
