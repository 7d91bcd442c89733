import { compareOrder } from './compare-rows.js'

/** Reads with each number of workers: the first answer is checked, the others must be the same in the same order. */
export async function acrossWorkers(
  workers: readonly number[],
  read: (workers: number) => Promise<string[]>,
  check: (rows: string[]) => readonly string[],
): Promise<string[]> {
  const problems: string[] = []
  let first: string[] | undefined
  for (const count of workers) {
    const rows = await read(count)
    if (first === undefined) {
      first = rows
      problems.push(...check(rows))
    } else {
      const order = compareOrder(first, rows)
      if (order !== undefined) problems.push(`with ${count} workers: ${order}`)
    }
  }
  return problems
}
