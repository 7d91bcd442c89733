import { fileURLToPath } from 'node:url'
import { type IcebergTable, openTable } from 'lakefold'

export const LAKE = fileURLToPath(new URL('../__test__/fixtures/iceberg/tables', import.meta.url))

/** One of the bundled tables. They were written at `file:/lake/iceberg`, so their locations are rewritten. */
export async function bundled(name: string): Promise<IcebergTable> {
  return await openTable(`${LAKE}/${name}`, { format: 'iceberg', rewriteLocations: { 'file:/lake/iceberg': LAKE } })
}
