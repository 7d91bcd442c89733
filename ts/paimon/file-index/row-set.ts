/** A set of row positions of a file of `size` rows. */
export class RowSet {
  private readonly words: Uint32Array

  private constructor(
    readonly size: number,
    words?: Uint32Array,
  ) {
    this.words = words ?? new Uint32Array(Math.ceil(size / 32))
  }

  static none(size: number): RowSet {
    return new RowSet(size)
  }

  static all(size: number): RowSet {
    const set = new RowSet(size)
    set.addRange(0, size)
    return set
  }

  add(row: number): void {
    this.words[row >>> 5] = (this.words[row >>> 5] as number) | (1 << (row & 31))
  }

  /** Adds the rows from `start` up to `end`, not included. */
  addRange(start: number, end: number): void {
    let row = start
    while (row < end && (row & 31) !== 0) this.add(row++)
    for (; row + 32 <= end; row += 32) this.words[row >>> 5] = 0xffffffff
    while (row < end) this.add(row++)
  }

  has(row: number): boolean {
    return row >= 0 && row < this.size && ((this.words[row >>> 5] as number) & (1 << (row & 31))) !== 0
  }

  and(other: RowSet): RowSet {
    return this.combined(other, (a, b) => a & b)
  }

  or(other: RowSet): RowSet {
    return this.combined(other, (a, b) => a | b)
  }

  andNot(other: RowSet): RowSet {
    return this.combined(other, (a, b) => a & ~b)
  }

  /** The rows of the file that are not in the set. */
  not(): RowSet {
    return RowSet.all(this.size).andNot(this)
  }

  get isEmpty(): boolean {
    return this.words.every((word) => word === 0)
  }

  get count(): number {
    let count = 0
    for (let word of this.words) {
      while (word !== 0) {
        word &= word - 1
        count++
      }
    }
    return count
  }

  /** The rows as ranges, ascending: start included, end not. */
  ranges(): readonly (readonly [start: number, end: number])[] {
    const ranges: [number, number][] = []
    let start = -1
    for (let row = 0; row <= this.size; row++) {
      const inside = row < this.size && this.has(row)
      if (inside && start < 0) start = row
      else if (!inside && start >= 0) {
        ranges.push([start, row])
        start = -1
      }
    }
    return ranges
  }

  private combined(other: RowSet, op: (a: number, b: number) => number): RowSet {
    return new RowSet(
      this.size,
      this.words.map((word, i) => op(word, other.words[i] as number)),
    )
  }
}
