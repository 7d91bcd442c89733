import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type IcebergTable, openTable } from '../../../ts/index.js'

const LAKE = join(import.meta.dirname, '../../fixtures/iceberg/tables')
const rewriteLocations = { 'file:/lake/iceberg': LAKE }
const table = (await openTable(join(LAKE, 'eqdel_basic'), { rewriteLocations })) as IcebergTable

it.each([
  ['limt', { limt: 1 }],
  ['signal', { signal: {} }],
  ['onProgress', { onProgress: 5 }],
  ['verifyCrc', { verifyCrc: 'yes' }],
  ['prune', { prune: 1 }],
  ['numWorkers', { numWorkers: -1 }],
  ['options', null],
  ['options', 5],
])('the read option %s is refused by name, case %#', async (field, options) => {
  const refusal = { code: 'INVALID_ARGUMENT', context: { field } }
  await expect(table.scan().toBatches(options as never)).rejects.toMatchObject(refusal)
  await expect(table.scan().count(options as never)).rejects.toMatchObject(refusal)
})

it.each([
  ['format', { format: 'delta' }],
  ['numWorkers', { numWorkers: 'x' }],
  ['signal', { signal: 1 }],
  ['options', null],
])('the option %s of openTable is refused by name', async (field, options) => {
  const open = openTable(join(LAKE, 'eqdel_basic'), options as never)
  await expect(open).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', context: { field } })
})
