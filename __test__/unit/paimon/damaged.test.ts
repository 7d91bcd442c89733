import { describe, expect, test } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { readIndexManifest } from '../../../ts/paimon/metadata/index-manifest.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import { readManifestList } from '../../../ts/paimon/metadata/manifest-list.js'
import { BUCKET, BUCKET_FUNCTION, MERGE_ENGINE } from '../../../ts/paimon/metadata/options.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { damaged, failure, io } from './fixtures.js'

/** Reads what a plan of the newest snapshot reads of metadata; gives its id. */
async function open(table: string): Promise<bigint | undefined> {
  const paths = damaged(table)
  const schema = await new SchemaStore(io, paths).latest()
  if (schema === undefined) {
    throw new LakefoldError('FILE_NOT_FOUND', `${paths.root} is no table`, { context: { file: paths.schemaFolder } })
  }
  for (const option of [BUCKET, MERGE_ENGINE, BUCKET_FUNCTION]) schema.options.get<unknown>(option)
  const snapshot = await new SnapshotStore(io, paths).latest()
  if (snapshot === undefined) return undefined
  for (const list of [snapshot.baseManifestList, snapshot.deltaManifestList]) {
    for (const { fileName } of await readManifestList({ io }, paths.manifest(list))) {
      await readManifest({ io }, paths.manifest(fileName))
    }
  }
  if (snapshot.indexManifest !== undefined) await readIndexManifest({ io }, paths.manifest(snapshot.indexManifest))
  return snapshot.id
}

describe('damaged metadata is told by a typed error that names file and fault', () => {
  const failing: [table: string, code: string, file: RegExp, said: RegExp][] = [
    ['missing_manifest', 'FILE_NOT_FOUND', /manifest\/manifest-/, /does not exist/],
    ['truncated_manifest', 'CORRUPT_FILE', /manifest\/manifest-/, /damaged/],
    ['missing_manifest_list', 'FILE_NOT_FOUND', /manifest\/manifest-list-/, /does not exist/],
    ['garbage_manifest_list', 'CORRUPT_FILE', /manifest\/manifest-list-/, /not an Avro file/],
    ['bad_snapshot_json', 'CORRUPT_FILE', /snapshot\/snapshot-2$/, /JSON/],
    ['empty_snapshot', 'CORRUPT_FILE', /snapshot\/snapshot-2$/, /JSON/],
    ['snapshot_missing_field', 'CORRUPT_FILE', /snapshot\/snapshot-2$/, /baseManifestList is missing/],
    ['snapshot_bad_commit_kind', 'CORRUPT_FILE', /snapshot\/snapshot-2$/, /SIDEWAYS/],
    ['missing_schema', 'FILE_NOT_FOUND', /schema$/, /no table/],
    ['bad_schema_json', 'CORRUPT_FILE', /schema\/schema-0$/, /JSON/],
    ['schema_version_future', 'UNSUPPORTED', /schema\/schema-0$/, /99/],
    ['unknown_type', 'UNSUPPORTED', /schema\/schema-0$/, /HYPERCUBE/],
    ['unknown_merge_engine', 'UNSUPPORTED', /schema\/schema-0$/, /"merge-engine".*quantum/],
    ['unknown_bucket_function', 'UNSUPPORTED', /schema\/schema-0$/, /"bucket-function.type".*astrology/],
    ['bad_bucket_option', 'INVALID_ARGUMENT', /schema\/schema-0$/, /"bucket".*abc/],
    ['unknown_bucket_key', 'CORRUPT_FILE', /schema\/schema-0$/, /bucket-key/],
    ['missing_index_manifest', 'FILE_NOT_FOUND', /manifest\/index-manifest-/, /does not exist/],
    ['not_a_table', 'FILE_NOT_FOUND', /schema$/, /no table/],
  ]
  for (const [table, code, file, said] of failing) {
    test(table, async () => {
      const error = await failure(() => open(table))
      expect(error.code).toBe(code)
      expect(String(error.context.file)).toMatch(file)
      expect(error.message).toMatch(said)
    })
  }

  const sound: [table: string, snapshot: bigint | undefined][] = [
    ['latest_hint_stale', 2n],
    ['latest_hint_garbage', 2n],
    ['latest_hint_beyond', 2n],
    ['no_hints', 2n],
    ['old_snapshot_bad', 2n],
    ['no_snapshot_dir', undefined],
    ['snapshot_version_future', 2n],
    ['missing_data_file', 2n],
  ]
  for (const [table, snapshot] of sound) {
    test(`${table} is read all the same`, async () => {
      expect(await open(table)).toBe(snapshot)
    })
  }

  test('missing_old_schema names schema 0 once it is asked for', async () => {
    const store = new SchemaStore(io, damaged('missing_old_schema'))
    expect((await store.latest())!.id).toBe(1)
    const error = await failure(() => store.byId(0))
    expect([error.code, error.context.schemaId]).toEqual(['FILE_NOT_FOUND', 0])
    expect(error.message).toMatch(/schema-0/)
  })
})
