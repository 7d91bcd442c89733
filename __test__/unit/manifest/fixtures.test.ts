import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { readManifestList } from '../../../ts/iceberg/manifest/list.js'
import { readManifest } from '../../../ts/iceberg/manifest/read.js'
import type { ContentFile, ManifestFile } from '../../../ts/iceberg/manifest/types.js'
import { loadTableMetadata } from '../../../ts/iceberg/metadata/load.js'
import { parseTableMetadata } from '../../../ts/iceberg/metadata/parse.js'
import { valueFromJson } from '../../../ts/types/single-value.js'
import {
  type Case,
  casesOf,
  damaged,
  damagedIo,
  FIXTURES,
  fixtureIo,
  metadataFiles,
  tables,
} from '../metadata/fixtures.js'

const ALL = { statsFieldIds: 'all' } as const
const NONE = { statsFieldIds: new Set<number>() }

describe('every manifest list and manifest of the fixtures', () => {
  it.each(tables)('%s agrees with the counts of its lists', async (table) => {
    const seen = new Set<string>()
    const read = new Set<string>()
    for (const file of metadataFiles(table)) {
      const metadata = parseTableMetadata(readFileSync(file), file)
      for (const snapshot of metadata.snapshots) {
        const list = snapshot.manifestList
        // Snapshots of the table that were expired later.
        if (list !== undefined && !existsSync(fixtureIo.resolve(list))) continue
        for (const manifest of await readManifestList(fixtureIo, snapshot, metadata)) {
          const key = JSON.stringify([manifest.path, String(manifest.addedSnapshotId), String(manifest.firstRowId)])
          if (seen.has(key)) continue
          seen.add(key)
          read.add(manifest.path.split('/').pop()!)
          const { header, entries } = await readManifest(fixtureIo, manifest, metadata, ALL)
          const counts = { added: 0, existing: 0, deleted: 0 }
          const rows = { added: 0n, existing: 0n, deleted: 0n }
          for (const { status, file: content } of entries) {
            counts[status] += 1
            rows[status] += content.recordCount
          }
          expect(header.content).toBe(manifest.content)
          expect(BigInt(readFileSync(fixtureIo.resolve(manifest.path)).length)).toBe(manifest.length)
          if (manifest.embedded) continue
          expect(counts).toEqual({
            added: manifest.addedFilesCount,
            existing: manifest.existingFilesCount,
            deleted: manifest.deletedFilesCount,
          })
          expect(rows).toEqual({
            added: manifest.addedRowsCount,
            existing: manifest.existingRowsCount,
            deleted: manifest.deletedRowsCount,
          })
        }
      }
    }
    // Nothing that lies there was passed over.
    const there = readdirSync(`${FIXTURES}tables/${table}/metadata`).filter(
      (name) => name.endsWith('.avro') && !name.startsWith('snap-'),
    )
    if (table !== 'expired_snapshots') expect([...read].sort()).toEqual(there.sort())
  })
})

async function filesOf(
  scanCase: Case,
): Promise<ReadonlyMap<string, { file: ContentFile; tuple: Record<string, unknown> }>> {
  const metadata = await loadTableMetadata(fixtureIo, FIXTURES + scanCase.metadata)
  const id = scanCase.scan.snapshotId as string | undefined
  const snapshot = id === undefined ? metadata.currentSnapshot() : metadata.snapshotById(BigInt(id))
  const files = new Map<string, { file: ContentFile; tuple: Record<string, unknown> }>()
  if (snapshot === undefined) return files
  for (const manifest of await readManifestList(fixtureIo, snapshot, metadata)) {
    const { header, entries } = await readManifest(fixtureIo, manifest, metadata, NONE)
    for (const { file } of entries) {
      const tuple = Object.fromEntries(header.spec.fields.map((field, i) => [field.name, file.partition[i]]))
      files.set(file.path, { file, tuple })
    }
  }
  return files
}

describe('files read as the plans of the reference have them', () => {
  it.each(tables)('%s', async (table) => {
    const seen = new Set<string>()
    for (const scanCase of casesOf(table)) {
      const { scan, plan } = scanCase
      if (plan === undefined || scan.incremental || scan.ref || scan.asOfTimestampMs) continue
      const key = JSON.stringify([scanCase.metadata, scan.snapshotId])
      const files = seen.has(key) ? undefined : await filesOf(scanCase)
      if (files === undefined) continue
      seen.add(key)
      const metadata = await loadTableMetadata(fixtureIo, FIXTURES + scanCase.metadata)
      for (const want of plan) {
        const { file, tuple } = files.get(want.path)!
        expect(file).toMatchObject({
          specId: want.specId,
          recordCount: BigInt(want.recordCount),
          fileSizeInBytes: BigInt(want.fileSizeInBytes),
          dataSequenceNumber: BigInt(want.dataSequenceNumber),
          fileSequenceNumber: BigInt(want.fileSequenceNumber),
          firstRowId: want.firstRowId == null ? undefined : BigInt(want.firstRowId),
        })
        const spec = metadata.specById(want.specId)
        const types = metadata.partitionTypes(spec)
        spec.fields.forEach((field, i) => {
          const json = want.partition[field.name]
          const value = json == null ? null : valueFromJson(types[i]!, json as never)
          expect({ [field.name]: tuple[field.name] }).toEqual({ [field.name]: value })
        })
      }
    }
  })
})

describe('damaged lists and manifests are errors that name them', () => {
  const broken = damaged.filter((c) => c.case.startsWith('manifest_'))
  it.each(broken)('$case', async (damage) => {
    const io = damagedIo(damage)
    const metadata = await loadTableMetadata(io, FIXTURES + damage.metadata)
    let error: unknown
    try {
      const list: ManifestFile[] = await readManifestList(io, metadata.currentSnapshot()!, metadata)
      for (const manifest of list) await readManifest(io, manifest, metadata, ALL)
    } catch (failure) {
      error = failure
    }
    expect(LakefoldError.is(error)).toBe(true)
    const { code, message, context } = error as LakefoldError
    expect(code).toBe(damage.case.endsWith('_missing') ? 'FILE_NOT_FOUND' : 'CORRUPT_FILE')
    const name = damage.brokenFile.split('/').pop()!
    expect(message).toContain(name)
    expect(context.file).toContain(name)
  })
})
