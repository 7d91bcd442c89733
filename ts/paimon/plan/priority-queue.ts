/**
 * A binary heap that orders its array as `java.util.PriorityQueue` does: the reference lists the runs of a section in
 * that array's order, and plans are held to it.
 */
export class PriorityQueue<T> {
  readonly #heap: T[] = []
  readonly #order: (a: T, b: T) => number

  constructor(order: (a: T, b: T) => number) {
    this.#order = order
  }

  /** The elements in the order of the array. */
  toArray(): T[] {
    return [...this.#heap]
  }

  add(value: T): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(value)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (this.#order(value, heap[parent] as T) >= 0) break
      heap[at] = heap[parent] as T
      at = parent
    }
    heap[at] = value
  }

  /** Takes the least element out; undefined if there is none. */
  poll(): T | undefined {
    const heap = this.#heap
    const least = heap[0]
    const last = heap.pop() as T
    const size = heap.length
    if (size === 0) return least
    let at = 0
    while (at < size >>> 1) {
      let child = 2 * at + 1
      if (child + 1 < size && this.#order(heap[child] as T, heap[child + 1] as T) > 0) child++
      if (this.#order(last, heap[child] as T) <= 0) break
      heap[at] = heap[child] as T
      at = child
    }
    heap[at] = last
    return least
  }
}
