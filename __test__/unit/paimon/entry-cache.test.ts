import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PaimonCache, PaimonTable } from '../../../ts/paimon/index.js'
import { TablePaths } from '../../../ts/paimon/metadata/paths.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { io, WAREHOUSE } from './fixtures.js'

const OPTION = 'scan.manifest-entry-cache.max-snapshots'

async function filesOf(folder: string, cache?: PaimonCache): Promise<readonly string[]> {
  const table = await PaimonTable.open(folder, cache === undefined ? {} : { cache })
  const plan = await table.scan().bucket(0).option(OPTION, '2').plan()
  return plan.splits.flatMap((split) => ('dataFiles' in split ? split.dataFiles.map((file) => file.fileName) : []))
}

test('a snapshot that took the id of another after a rollback is not taken for it', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'lakefold-')), 't')
  try {
    cpSync(join(WAREHOUSE, 'pk_levels'), folder, { recursive: true })
    const cache = new PaimonCache()
    const before = await filesOf(folder, cache)
    expect(before).toEqual(await filesOf(folder))
    expect(await filesOf(folder, cache)).toEqual(before)
    const { id } = (await new SnapshotStore(io, new TablePaths(folder)).latest())!
    const older = JSON.parse(readFileSync(join(folder, `snapshot/snapshot-${id - 1n}`), 'utf8'))
    writeFileSync(join(folder, `snapshot/snapshot-${id}`), JSON.stringify({ ...older, id: Number(id) }))
    const after = await filesOf(folder)
    expect(after).not.toEqual(before)
    expect(await filesOf(folder, cache)).toEqual(after)
  } finally {
    rmSync(join(folder, '..'), { recursive: true })
  }
})
