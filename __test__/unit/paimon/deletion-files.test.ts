import { describe, expect, test } from 'vitest'
import { BinaryRow } from '../../../ts/paimon/metadata/binary-row.js'
import { serializeRow } from '../../../ts/paimon/metadata/binary-row-writer.js'
import { DeletionFiles } from '../../../ts/paimon/metadata/deletion-files.js'
import { FilePaths } from '../../../ts/paimon/metadata/file-paths.js'
import { type IndexEntry, readIndexManifest } from '../../../ts/paimon/metadata/index-manifest.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { casesOf, io, pathsOf, tables } from './fixtures.js'

const EMPTY = serializeRow([], [])

describe('deletion vectors are where the reference finds them', () => {
  const withVectors = tables().filter((table) =>
    casesOf(table).some((one) => one.plan?.splits?.some((split) => split.deletionFiles?.some((file) => file !== null))),
  )

  test('several tables have some, of both widths and of old versions', () => {
    expect(withVectors).toEqual(expect.arrayContaining(['append_dv', 'pk_dv', 'pk_dv64', 'old_09_dv', 'old_11_dv']))
  })

  for (const table of withVectors) {
    test(table, async () => {
      const paths = pathsOf(table)
      const snapshots = new SnapshotStore(io, paths)
      const schema = (await new SchemaStore(io, paths).latest())!
      const types = schema.partitionFields.map(({ type }) => type)
      const filePaths = new FilePaths(paths, schema)
      const place = { file: table, field: '_PARTITION' }
      const locate = (entry: IndexEntry): string =>
        filePaths.indexFile(entry, BinaryRow.deserialize(entry.partition, place).values(types))
      let compared = 0
      for (const one of casesOf(table)) {
        if (one.kind !== 'scan' || one.plan?.snapshotId === undefined || types.length > 0) continue
        const snapshot = await snapshots.byId(BigInt(one.plan.snapshotId))
        const name = snapshot.indexManifest
        const entries = name === undefined ? [] : await readIndexManifest({ io }, paths.manifest(name))
        const found = new DeletionFiles(entries, locate)
        for (const split of one.plan.splits ?? []) {
          split.files.forEach((file, i) => {
            const vector = found.find(EMPTY, split.bucket, file.name)
            const wanted = split.deletionFiles?.[i] ?? null
            const relative = vector && {
              path: vector.path.slice(paths.root.length + 1),
              offset: vector.offset,
              length: vector.length,
              cardinality: vector.cardinality === undefined ? null : Number(vector.cardinality),
            }
            expect(relative ?? null, `${one.id}: ${file.name}`).toEqual(wanted)
            if (wanted !== null) compared++
          })
        }
      }
      expect(compared > 0).toBe(types.length === 0)
    })
  }
})
