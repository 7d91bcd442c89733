import { describe, expect, test } from 'vitest'
import { BinaryRow } from '../../../ts/paimon/metadata/binary-row.js'
import { listBranches } from '../../../ts/paimon/metadata/branches.js'
import { findConsumer, listConsumers } from '../../../ts/paimon/metadata/consumers.js'
import { FilePaths } from '../../../ts/paimon/metadata/file-paths.js'
import { readIndexManifest } from '../../../ts/paimon/metadata/index-manifest.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import type { ManifestEntry } from '../../../ts/paimon/metadata/manifest-entry.js'
import { readManifestList } from '../../../ts/paimon/metadata/manifest-list.js'
import { MAIN_BRANCH, type TablePaths } from '../../../ts/paimon/metadata/paths.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { keyStats, SimpleStats, valueStats } from '../../../ts/paimon/metadata/simple-stats.js'
import type { Snapshot } from '../../../ts/paimon/metadata/snapshot.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { readStatistics } from '../../../ts/paimon/metadata/statistics.js'
import { findTag, listTags } from '../../../ts/paimon/metadata/tags.js'
import { COLUMNAR, casesOf, io, pathsOf, tables } from './fixtures.js'

/** Everything that a branch holds, read whole. */
async function readAll(paths: TablePaths, columnar: boolean) {
  const schemas = new SchemaStore(io, paths)
  const snapshots = new SnapshotStore(io, paths)
  const found: Snapshot[] = []
  for await (const snapshot of snapshots.all()) found.push(snapshot)
  for await (const changelog of snapshots.allChangelogs()) found.push(changelog)
  for (const name of await listTags(io, paths)) {
    const tag = await findTag(io, paths, name)
    found.push(tag!.snapshot)
  }
  for (const id of await listConsumers(io, paths)) await findConsumer(io, paths, id)
  const ids = await schemas.ids()
  for (const id of ids) await schemas.byId(id)
  const entries = new Map<string, ManifestEntry>()
  const read = new Set<string>()
  for (const snapshot of found) {
    if (snapshot.statistics !== undefined) await readStatistics(io, paths, snapshot.statistics)
    if (columnar) continue
    const schema = await schemas.byId(snapshot.schemaId)
    const lists = [snapshot.baseManifestList, snapshot.deltaManifestList, snapshot.changelogManifestList]
    for (const list of lists) {
      if (list === undefined || read.has(list)) continue
      read.add(list)
      // Lists of a snapshot that a tag or separate changelog keeps may have been deleted in part.
      if (!(await io.exists(paths.manifest(list)))) continue
      for (const meta of await readManifestList({ io }, paths.manifest(list))) {
        if (meta.partitionStats !== undefined) {
          const stats = new SimpleStats(meta.partitionStats, schema.partitionFields, { file: list, field: 'stats' })
          for (const field of schema.partitionFields) stats.column(field.id)
        }
        if (read.has(meta.fileName)) continue
        read.add(meta.fileName)
        const manifest = paths.manifest(meta.fileName)
        const { entries: all, seen } = await readManifest({ io }, manifest)
        expect(seen).toBe(Number(meta.numAddedFiles + meta.numDeletedFiles))
        for (const entry of all) {
          const fileSchema = await schemas.byId(entry.file.schemaId)
          const keys = keyStats(entry.file, fileSchema, manifest)
          for (const key of fileSchema.trimmedPrimaryKeys) keys.column(key.id)
          const values = valueStats(entry.file, fileSchema, manifest)
          for (const value of fileSchema.fields) values.column(value.id)
          entries.set(entry.file.fileName, entry)
        }
      }
    }
    if (snapshot.indexManifest !== undefined && (await io.exists(paths.manifest(snapshot.indexManifest)))) {
      await readIndexManifest({ io }, paths.manifest(snapshot.indexManifest))
    }
  }
  return { schemas, found, entries, ids }
}

/** A key as the cases spell it. */
function spelled(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  return value
}

describe('every table of the warehouse', () => {
  for (const table of tables()) {
    test(table, async () => {
      const paths = pathsOf(table)
      const columnar = COLUMNAR.has(table)
      const main = await readAll(paths, columnar)
      const branches = await listBranches(io, paths)
      const all = [main]
      for (const branch of branches) all.push(await readAll(paths.withBranch(branch), columnar))
      if (table.startsWith('ft_')) return
      expect(main.ids.length).toBeGreaterThan(0)
      if (columnar) return
      const schemas = main.schemas
      const filePaths = new FilePaths(paths, (await schemas.latest())!)
      let compared = 0
      for (const one of casesOf(table)) {
        if (one.kind !== 'scan') continue
        for (const split of one.plan?.splits ?? []) {
          for (const file of split.files ?? []) {
            const entry = all.map(({ entries }) => entries.get(file.name)).find((found) => found !== undefined)
            expect(entry, `${one.id}: ${file.name}`).toBeDefined()
            const { file: meta } = entry!
            compared++
            expect({
              bucket: entry!.bucket,
              rowCount: Number(meta.rowCount),
              schemaId: meta.schemaId,
              fileSize: Number(meta.fileSize),
              minSequenceNumber: Number(meta.minSequenceNumber),
              maxSequenceNumber: Number(meta.maxSequenceNumber),
              deleteRowCount: meta.deleteRowCount === undefined ? undefined : Number(meta.deleteRowCount),
              fileSource: meta.fileSource,
              extraFiles: meta.extraFiles.length === 0 ? undefined : meta.extraFiles,
              valueStatsCols: meta.valueStatsCols,
              firstRowId: meta.firstRowId === undefined ? undefined : Number(meta.firstRowId),
            }).toEqual({
              bucket: split.bucket,
              rowCount: file.rowCount,
              schemaId: file.schemaId,
              fileSize: file.fileSize,
              minSequenceNumber: file.minSequenceNumber,
              maxSequenceNumber: file.maxSequenceNumber,
              deleteRowCount: file.deleteRowCount,
              fileSource: file.fileSource,
              extraFiles: file.extraFiles,
              valueStatsCols: file.valueStatsCols,
              firstRowId: file.firstRowId,
            })
            if (one.scan.branch !== undefined && one.scan.branch !== MAIN_BRANCH) continue
            const schema = await schemas.byId(meta.schemaId)
            const place = { file: table, field: file.name }
            if (file.minKey !== undefined) {
              const types = schema.trimmedPrimaryKeys.map((key) => key.type)
              const plain = types.every((type) => ['int', 'bigint', 'varchar', 'smallint'].includes(type.kind))
              if (plain) {
                const min = BinaryRow.deserialize(meta.minKey, place).values(types).map(spelled)
                const max = BinaryRow.deserialize(meta.maxKey, place).values(types).map(spelled)
                expect([min, max], one.id).toEqual([file.minKey, file.maxKey])
              }
            }
            const current = (await schemas.latest())!
            const partition = BinaryRow.deserialize(entry!.partition, place).values(
              current.partitionFields.map((field) => field.type),
            )
            expect(filePaths.bucketPath(partition, entry!.bucket)).toBe(split.bucketPath)
            const location = filePaths.dataFile(partition, entry!.bucket, meta)
            if (meta.externalPath === undefined) expect(await io.exists(location), location).toBe(true)
          }
        }
      }
      const plans = casesOf(table).filter((one) => one.kind === 'scan' && (one.plan?.splits ?? []).length > 0)
      expect(compared > 0).toBe(plans.length > 0)
    })
  }
})
