/**
 * Packs items into bins in one pass, as `BinPacking` of Iceberg Java with the largest bin emitted first:
 * an item goes to the oldest open bin where it still fits, else to a new one; if more than `lookback` bins
 * are open then, the heaviest is closed (the oldest on a tie).
 */
export class BinPacker<T> {
  readonly #open: { weight: number; readonly items: T[] }[] = []
  readonly #target: number
  readonly #lookback: number
  readonly #weight: (item: T) => number

  constructor(target: number, lookback: number, weight: (item: T) => number) {
    this.#target = target
    this.#lookback = lookback
    this.#weight = weight
  }

  /** Adds an item; returns the bin that this closed, if it closed one. */
  add(item: T): T[] | undefined {
    const weight = this.#weight(item)
    const bin = this.#open.find((open) => open.weight + weight <= this.#target)
    if (bin !== undefined) {
      bin.items.push(item)
      bin.weight += weight
      return undefined
    }
    this.#open.push({ weight, items: [item] })
    return this.#open.length > this.#lookback ? this.#closeHeaviest() : undefined
  }

  /** The bins that are still open, oldest first. */
  finish(): T[][] {
    return this.#open.splice(0).map((bin) => bin.items)
  }

  #closeHeaviest(): T[] {
    let heaviest = 0
    this.#open.forEach((bin, i) => {
      if (bin.weight > this.#open[heaviest]!.weight) heaviest = i
    })
    return this.#open.splice(heaviest, 1)[0]!.items
  }
}
