import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PaimonTable } from '../../../ts/paimon/table.js'
import { WAREHOUSE } from './fixtures.js'

// As the reference lists them in `$files`, in partition p0 and bucket 0.
it.each([
  ['manifest_orc', ['08.791', '08.936', '09.331']],
  ['manifest_parquet', ['09.978', '10.162', '10.362']],
])('%s: columnar manifests tell when files were created', async (name, seconds) => {
  const table = await PaimonTable.open(join(WAREHOUSE, name))
  const found: unknown[] = []
  for (const batch of (await table.system('files').toTable()).batches) {
    for (const row of batch) if (/p=p0.bucket-0/.test(row?.file_path)) found.push(row?.creation_time)
  }
  expect(found.sort()).toEqual(seconds.map((second) => Date.parse(`2026-11-29T23:58:${second}Z`)))
})
