/** Packs items into bins without changing their order: a bin is closed when it has items and the next one would not fit. */
export function packInOrder<T>(items: Iterable<T>, weight: (item: T) => number, target: number): T[][] {
  const bins: T[][] = []
  let bin: T[] = []
  let filled = 0
  for (const item of items) {
    const weighs = weight(item)
    if (bin.length > 0 && filled + weighs > target) {
      bins.push(bin)
      bin = []
      filled = 0
    }
    bin.push(item)
    filled += weighs
  }
  if (bin.length > 0) bins.push(bin)
  return bins
}
