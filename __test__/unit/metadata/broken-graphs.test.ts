import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type IcebergTable, openTable } from '../../../ts/index.js'

const LAKE = join(import.meta.dirname, '../../fixtures/iceberg/tables')

/** A table's newest metadata with a change of text, opened from a folder of its own. */
async function changed(name: string, version: string, change: (json: string) => string): Promise<IcebergTable> {
  const folder = join(await mkdtemp(join(tmpdir(), 'lakefold-')), 'metadata')
  mkdirSync(folder)
  const file = join(folder, `${version}.metadata.json`)
  writeFileSync(file, change(readFileSync(join(LAKE, name, 'metadata', `${version}.metadata.json`), 'utf8')))
  const options = { rewriteLocations: { 'file:/lake/iceberg': LAKE }, format: 'iceberg' } as const
  return openTable(file, options)
}

/** Text surgery, since ids beyond 2^53 would not survive JSON.parse. */
function ownParent(json: string): string {
  const current = /"current-snapshot-id"\s*:\s*(\d+)/.exec(json)?.[1]
  const parent = new RegExp(`("snapshot-id"\\s*:\\s*${current}\\s*,\\s*"parent-snapshot-id"\\s*:\\s*)\\d+`)
  expect(json).toMatch(parent)
  return json.replace(parent, `$1${current}`)
}

it('snapshots whose parents run in a circle are refused, not read as a range', async () => {
  const table = await changed('incremental_mor', 'v5', ownParent)
  const refusal = { code: 'CORRUPT_FILE', context: { field: 'snapshots.parent-snapshot-id' } }
  await expect(table.incrementalAppendScan().planFiles()).rejects.toMatchObject(refusal)
  await expect(table.changelogScan().planFiles()).rejects.toMatchObject(refusal)
})

it.each([
  ['one id', (json: string) => json.replace(/("id"\s*:\s*)2(\s*,)/g, '$11$2'), 'has the id 1'],
  [
    'one name',
    (json: string) => json.replace(/("name"\s*:\s*)"[a-z_]+"(\s*,\s*"required")/g, '$1"same"$2'),
    'is there twice',
  ],
])('two fields of %s are refused where the schema is used', async (_what, change, message) => {
  const open = async () => (await changed('v1_unpartitioned', 'v4', change)).scan().schema()
  await expect(open()).rejects.toMatchObject({ code: 'CORRUPT_FILE', message: expect.stringContaining(message) })
})
