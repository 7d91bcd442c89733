import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileIO } from '../../../ts/io/file-io.js'
import { serializeRow } from '../../../ts/paimon/metadata/binary-row-writer.js'
import { readIndexManifest } from '../../../ts/paimon/metadata/index-manifest.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import { readManifestList } from '../../../ts/paimon/metadata/manifest-list.js'
import type { RowObject } from '../../../ts/paimon/metadata/record.js'
import type { ColumnarFile } from '../../../ts/paimon/metadata/record-file.js'
import { tableSchemaOf } from '../../../ts/paimon/metadata/schema.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { FIXTURES, failure, io, pathsOf } from './fixtures.js'

for (const [table, format] of [
  ['manifest_orc', 'orc'],
  ['manifest_parquet', 'parquet'],
] as const) {
  test(`${table}: metadata in ${format} is asked of the row reader, or refused by name`, async () => {
    const paths = pathsOf(table)
    const snapshot = (await new SnapshotStore(io, paths).latest())!
    const list = paths.manifest(snapshot.deltaManifestList)
    const refused = await failure(() => readManifestList({ io }, list))
    expect([refused.code, refused.context.file, refused.context.format]).toEqual(['UNSUPPORTED', list, format])
    const asked: string[] = []
    const rows = {
      readRows: async (file: ColumnarFile) => {
        asked.push(`${file.location} ${file.format}`)
        return []
      },
    }
    expect(await readManifestList({ io, rows }, list)).toEqual([])
    expect(asked).toEqual([`${list} ${format}`])
  })
}

const stats = { _MIN_VALUES: new Uint8Array(12), _MAX_VALUES: new Uint8Array(12), _NULL_COUNTS: [0, null] }
const FILE: RowObject = {
  _FILE_NAME: 'data-1.orc',
  _FILE_SIZE: 10n,
  _ROW_COUNT: 3,
  _MIN_KEY: serializeRow([], []),
  _MAX_KEY: serializeRow([], []),
  _KEY_STATS: stats,
  _VALUE_STATS: stats,
  _MIN_SEQUENCE_NUMBER: 0n,
  _MAX_SEQUENCE_NUMBER: 9007199254740993n,
  _SCHEMA_ID: 2n,
  _LEVEL: 1,
  _EXTRA_FILES: ['x.index'],
  _CREATION_TIME: null,
  _FUTURE_FIELD: 'ignored',
}
const ENTRY: RowObject = {
  _VERSION: 2,
  _KIND: 1,
  _PARTITION: serializeRow([], []),
  _BUCKET: 4,
  _TOTAL_BUCKETS: 8,
  _FILE: FILE,
}

/** A source whose file is columnar and holds these rows. */
function sourceOf(...all: RowObject[]) {
  const columnar = { read: async () => Buffer.from('PAR1') } as unknown as FileIO
  return { io: columnar, rows: { readRows: async () => all } }
}

test('entries of columnar manifests are those of Avro: later fields undefined, unknown ones ignored', async () => {
  const { entries, seen } = await readManifest(sourceOf(ENTRY, { ...ENTRY, _BUCKET: 5 }), 'm', {
    head: ({ bucket }) => bucket === 4,
  })
  expect(seen).toBe(2)
  expect(entries).toMatchObject([
    { kind: 'DELETE', bucket: 4, totalBuckets: 8, file: { fileName: 'data-1.orc', level: 1, schemaId: 2 } },
  ])
  const { file } = entries[0]!
  expect([file.rowCount, file.maxSequenceNumber, file.creationTime, file.deleteRowCount, file.valueStatsCols]).toEqual([
    3n,
    9007199254740993n,
    undefined,
    undefined,
    undefined,
  ])
  expect(file.valueStats.nullCounts).toEqual([0n, undefined])
})

test('a record that is not what it should be is told by file, field and value', async () => {
  const bad: [RowObject, string, RegExp][] = [
    [{ ...ENTRY, _VERSION: 1 }, 'UNSUPPORTED', /_VERSION/],
    [{ ...ENTRY, _KIND: 7 }, 'CORRUPT_FILE', /_KIND is 7/],
    [{ ...ENTRY, _BUCKET: 'x' }, 'CORRUPT_FILE', /_BUCKET/],
    [{ ...ENTRY, _FILE: { ...FILE, _SCHEMA_ID: -1n } }, 'CORRUPT_FILE', /_FILE\._SCHEMA_ID is -1/],
    [{ ...ENTRY, _FILE: { ...FILE, _MIN_KEY: undefined } }, 'CORRUPT_FILE', /_FILE\._MIN_KEY/],
  ]
  for (const [row, code, said] of bad) {
    const error = await failure(() => readManifest(sourceOf(row), 'manifest-9'))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(said)
    expect(error.context.file).toBe('manifest-9')
  }
  expect((await failure(() => readIndexManifest(sourceOf({ _VERSION: 3 }), 'im'))).context.file).toBe('im')
})

test('schemas of format tables are read as a catalog hands them over', () => {
  const folder = join(FIXTURES, 'format-schemas')
  for (const name of readdirSync(folder)) {
    const schema = tableSchemaOf(readFileSync(join(folder, name), 'utf8'), name)
    expect(schema.options.raw('type')).toBe('format-table')
    expect(schema.fields.length).toBeGreaterThan(0)
  }
})
