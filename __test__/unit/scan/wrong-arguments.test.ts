import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FileScanTask, type IcebergTable, openTable } from '../../../ts/index.js'

const LAKE = join(import.meta.dirname, '../../fixtures/iceberg/tables')
const table = (await openTable(join(LAKE, 'eqdel_basic'), {
  rewriteLocations: { 'file:/lake/iceberg': LAKE },
})) as IcebergTable
const scan = table.scan()
const anything = (value: unknown) => value as never

it.each([
  ['paths', () => scan.toBatchesForPaths(anything('file:/x'))],
  ['paths', () => scan.toBatchesForSplits(anything('ab'), [0, 1])],
  ['starts', () => scan.toBatchesForSplits(['a'], anything('0'))],
  ['tasks', () => scan.toBatchesForTasks(anything(undefined))],
  ['tasks[0]', () => scan.toBatchesForTasks(anything([{}]))],
  ['tasks[0]', () => scan.toBatchesForTasks(anything(['{}']))],
  ['text', async () => FileScanTask.fromJson(anything(undefined))],
  ['path', async () => (await scan.toBatchReader()).writeParquet(anything(undefined))],
])('%s of the wrong kind are refused by name, case %#', async (field, read) => {
  await expect(read()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', context: { field } })
})
