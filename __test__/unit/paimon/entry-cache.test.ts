import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PaimonCache, PaimonTable, splitToJson } from '../../../ts/paimon/index.js'
import { TablePaths } from '../../../ts/paimon/metadata/paths.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import type { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { io, pathsOf, tables, WAREHOUSE } from './fixtures.js'

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

/** The plan of one bucket at a snapshot, and what it read for it. */
async function planAt(name: string, id: bigint, bucket: number, cache?: PaimonCache) {
  const table = await PaimonTable.open(join(WAREHOUSE, name), cache === undefined ? {} : { cache })
  const scan = await table.scan().bucket(bucket).option(OPTION, '3').snapshotId(id).toTableScan()
  const { splits } = await scan.createPlan()
  const { lastScannedManifests, lastSnapshotCacheHit, lastScanSkippedTableFiles } = scan.getMetrics()
  const files = splits.map((split) => splitToJson(split as DataSplit)).sort()
  return { files, manifests: lastScannedManifests, hit: lastSnapshotCacheHit, skipped: lastScanSkippedTableFiles }
}

const SEVERAL: readonly string[] = await Promise.all(
  tables().map(async (name) => {
    const { earliest, latest } = await new SnapshotStore(io, pathsOf(name)).range()
    return earliest !== undefined && latest !== undefined && latest > earliest ? name : ''
  }),
).then((names) => names.filter((name) => name !== ''))

describe('a plan from the kept entries of an older snapshot is the whole one', () => {
  test.each(SEVERAL)('%s', async (name) => {
    const snapshots = new SnapshotStore(io, pathsOf(name))
    const { earliest = 0n, latest = 0n } = await snapshots.range()
    for (const bucket of [0, 1]) {
      // One after the other, and the last from the first.
      const [steps, leap] = [new PaimonCache(), new PaimonCache()]
      await planAt(name, earliest, bucket, leap)
      for (let id = earliest; id <= latest; id++) {
        const { files, skipped } = await planAt(name, id, bucket)
        expect(await planAt(name, id, bucket, steps), `${id} after ${id - 1n}`).toMatchObject({
          files,
          skipped,
          hit: 0,
        })
        expect((await planAt(name, id, bucket, steps)).hit).toBe(1)
        if (id > earliest) expect(await planAt(name, id, bucket, leap), `${id}`).toMatchObject({ files, skipped })
      }
    }
  })

  test('and reads the manifests of what changed alone', async () => {
    const cache = new PaimonCache()
    const { earliest = 0n, latest = 0n } = await new SnapshotStore(io, pathsOf('many_manifests')).range()
    expect(latest).toBeGreaterThan(earliest)
    await planAt('many_manifests', latest - 1n, 0, cache)
    const whole = await planAt('many_manifests', latest, 0)
    const changed = await planAt('many_manifests', latest, 0, cache)
    expect(changed.files).toEqual(whole.files)
    expect(changed.manifests).toBeLessThan(whole.manifests)
  })
})
