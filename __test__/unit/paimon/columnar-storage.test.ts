import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import type { ByteRange, FileIO } from '../../../ts/io/file-io.js'
import { openTable } from '../../../ts/open.js'
import type { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { PaimonTable } from '../../../ts/paimon/table.js'
import { type Case, casesOf, failure, type PlanSplit, rowsOf, WAREHOUSE } from './fixtures.js'

/** Storage without paths: files of one table in memory. */
class MemoryFileIO implements FileIO {
  readonly files = new Map<string, Uint8Array>()

  constructor(root: string, folder: string) {
    for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(name.parentPath, name.name)
      if (name.isFile()) this.files.set(`${root}${path.slice(folder.length)}`, readFileSync(path))
    }
  }

  async read(location: string, range?: ByteRange): Promise<Uint8Array> {
    const bytes = this.files.get(location)
    if (bytes === undefined) throw new LakefoldError('FILE_NOT_FOUND', location, { context: { file: location } })
    return range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length)
  }

  async exists(location: string): Promise<boolean> {
    return [...this.files.keys()].some((file) => file === location || file.startsWith(`${location}/`))
  }

  async list(folder: string): Promise<readonly string[]> {
    const inside = [...this.files.keys()].filter((file) => file.startsWith(`${folder}/`))
    if (inside.length === 0) throw new LakefoldError('FILE_NOT_FOUND', folder, { context: { file: folder } })
    return [...new Set(inside.map((file) => file.slice(folder.length + 1).split('/')[0] as string))].sort()
  }

  async size(location: string): Promise<number> {
    return (await this.read(location)).length
  }

  resolve(location: string): string {
    return location
  }
}

const shown = (splits: readonly PlanSplit[]) =>
  splits.map(({ bucketPath, bucket, files }) => ({ bucketPath, bucket, files: files.map(({ name }) => name) }))

/** Where copies are made, which nothing else uses. */
const scratch = mkdtempSync(join(tmpdir(), 'columnar-'))
const copies = () => readdirSync(scratch).filter((name) => name.startsWith('lakefold-'))
beforeAll(() => void vi.stubEnv('TMPDIR', scratch))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(scratch, { recursive: true })
})

describe.each(['manifest_orc', 'manifest_parquet'])('columnar metadata of %s', (name) => {
  const root = `mem://lake/${name}`
  const open = async () => {
    const io = new MemoryFileIO(root, join(WAREHOUSE, name))
    return { io, table: await PaimonTable.open(root, { io }) }
  }

  it('is planned from storage that has no paths, and leaves no copies', async () => {
    const { table } = await open()
    const { plan } = casesOf(name).find(({ id }) => id.endsWith('_all')) as Case & { plan: { splits: PlanSplit[] } }
    const splits = (await table.scan().planSplits()) as readonly DataSplit[]
    expect(
      splits.map(({ bucketPath, bucket, dataFiles }) => ({
        bucketPath: bucketPath.slice(root.length + 1),
        bucket,
        files: dataFiles.map(({ fileName }) => fileName),
      })),
    ).toEqual(shown(plan.splits))
    expect(copies()).toEqual([])
  })

  it('names the file of the storage where it is damaged', async () => {
    const { io, table } = await open()
    for (const file of io.files.keys()) {
      if (file.includes('/manifest-list-')) io.files.set(file, (io.files.get(file) as Uint8Array).slice(0, -7))
    }
    const error = await failure(() => table.scan().planSplits())
    expect(error.code).toBe('CORRUPT_FILE')
    expect(error.context.file).toMatch(`${root}/manifest/manifest-list-`)
    expect(error.message).toContain(error.context.file)
    expect(error.message).not.toContain(scratch)
    // The other list of the snapshot may be read still.
    await vi.waitFor(() => expect(copies()).toEqual([]))
  })

  it('is read where rewriteLocations says it is', async () => {
    const table = await openTable(`s3://lake/${name}`, {
      rewriteLocations: { 's3://lake': WAREHOUSE },
      format: 'paimon',
    })
    const { rowsFile } = casesOf(name).find(({ id }) => id.endsWith('_all')) as Case & { rowsFile: string }
    expect((await table.scan().toTable()).numRows).toBe(rowsOf(rowsFile).length)
  })
})
