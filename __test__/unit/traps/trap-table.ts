import { join } from 'node:path'

import { type IcebergTable, openTable, type TableScan } from '../../../ts/index.js'

const FOLDER = join(import.meta.dirname, '../../fixtures/traps')

/** A table of `scripts/make-traps.py`. */
export async function trap(name: string): Promise<IcebergTable> {
  return (await openTable(join(FOLDER, name), { rewriteLocations: { 'file:/lake/traps': FOLDER } })) as IcebergTable
}

/** The values of a column over all rows of a scan, in order; with and without pruning, and counted. */
export async function values(scan: TableScan, column = 'id'): Promise<unknown[]> {
  const read = async (prune: boolean) => {
    const out: unknown[] = []
    for await (const row of scan.rows({ prune, numWorkers: 2 })) out.push(row[column])
    return out
  }
  const [pruned, whole, count] = [await read(true), await read(false), await scan.count()]
  if (pruned.length !== whole.length || pruned.some((value, i) => value !== whole[i])) {
    throw new Error(`pruning changes the rows: ${pruned.map(String)} without it ${whole.map(String)}`)
  }
  if (count !== BigInt(pruned.length)) throw new Error(`count() is ${count} of ${pruned.length} rows`)
  return pruned
}

/** The error that reading a whole table ends with. */
export async function failure(name: string): Promise<unknown> {
  try {
    const table = await trap(name)
    await table.scan().toBatches()
  } catch (error) {
    return error
  }
  throw new Error(`${name} was read`)
}
