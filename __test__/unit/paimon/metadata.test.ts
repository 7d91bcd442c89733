import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { branchPaths, listBranches } from '../../../ts/paimon/metadata/branches.js'
import { findConsumer } from '../../../ts/paimon/metadata/consumers.js'
import { overlayOptions } from '../../../ts/paimon/metadata/dynamic-options.js'
import { NumberedFiles } from '../../../ts/paimon/metadata/hints.js'
import { flag, Options, optDuration, size } from '../../../ts/paimon/metadata/option.js'
import { BUCKET, FILE_FORMAT, IGNORE_DELETE, SPLIT_TARGET_SIZE } from '../../../ts/paimon/metadata/options.js'
import { TablePaths } from '../../../ts/paimon/metadata/paths.js'
import { type TableSchema, tableSchemaOf } from '../../../ts/paimon/metadata/schema.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { sharedSchema, sharedType } from '../../../ts/paimon/metadata/shared-type.js'
import { BATCH_COMMIT_IDENTIFIER, parseSnapshot } from '../../../ts/paimon/metadata/snapshot.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { parseStatistics } from '../../../ts/paimon/metadata/statistics.js'
import { listTags, parseTag, readTag } from '../../../ts/paimon/metadata/tags.js'
import { typeText } from '../../../ts/paimon/metadata/types.js'
import { utf8 } from '../../../ts/types/utf8.js'
import { casesOf, failure, io, pathsOf, tables, typeOf } from './fixtures.js'

describe('types', () => {
  const spellings: [text: string, canonical: string][] = [
    ['int', 'INT'],
    ['INTEGER NOT NULL', 'INT NOT NULL'],
    ['DOUBLE PRECISION', 'DOUBLE'],
    ['DECIMAL', 'DECIMAL(10, 0)'],
    ['NUMERIC(5)', 'DECIMAL(5, 0)'],
    ['dec(38,18) NULL', 'DECIMAL(38, 18)'],
    ['CHAR', 'CHAR(1)'],
    ['VARCHAR(2147483647)', 'STRING'],
    ['VARBINARY(2147483647)', 'BYTES'],
    ['BYTES', 'BYTES'],
    ['TIME', 'TIME(0)'],
    ['TIMESTAMP', 'TIMESTAMP(6)'],
    ['TIMESTAMP(9) WITHOUT TIME ZONE', 'TIMESTAMP(9)'],
    ['TIMESTAMP_LTZ(3)', 'TIMESTAMP(3) WITH LOCAL TIME ZONE'],
    ['TIMESTAMP WITH LOCAL TIME ZONE NOT NULL', 'TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL'],
    ['INT NOT NULL ARRAY NOT NULL', 'ARRAY<INT NOT NULL> NOT NULL'],
    ['STRING MULTISET ARRAY', 'ARRAY<MULTISET<STRING>>'],
    ['VECTOR<FLOAT, 8>', 'VECTOR<FLOAT, 8>'],
    ['MAP<INT, ARRAY<STRING NOT NULL>>', 'MAP<INT, ARRAY<STRING NOT NULL>>'],
    ['GEOMETRY(OGC:CRS84)', 'GEOMETRY(OGC:CRS84)'],
    ['GEOGRAPHY(OGC:CRS84, spherical)', 'GEOGRAPHY(OGC:CRS84, spherical)'],
  ]
  for (const [text, canonical] of spellings) {
    test(text, () => expect(typeText(typeOf(text))).toBe(canonical))
  }

  for (const text of [
    'DECIMAL(39)',
    'DECIMAL(5,6)',
    'TIMESTAMP(10)',
    'INT NOT',
    'INT INT',
    'CHAR(',
    'INT)',
    '',
    'A~B',
  ]) {
    test(`"${text}" is refused`, async () => {
      expect(['CORRUPT_FILE', 'UNSUPPORTED']).toContain((await failure(() => typeOf(text))).code)
    })
  }

  test('types nested without end are refused, in text and in objects', async () => {
    expect((await failure(() => typeOf(`INT${' ARRAY'.repeat(100_000)}`))).code).toBe('CORRUPT_FILE')
    expect((await failure(() => typeOf('ARRAY<'.repeat(100_000)))).code).toBe('CORRUPT_FILE')
  })

  test('columns are typed as the reference reads them, in every table', async () => {
    let compared = 0
    for (const table of tables()) {
      if (table.startsWith('ft_')) continue
      const store = new SchemaStore(io, pathsOf(table))
      for (const one of casesOf(table)) {
        if (one.kind !== 'scan' || one.columns === undefined || one.schemaId === undefined) continue
        if (one.scan.branch !== undefined || table === 'fallback_branch') continue
        const schema = await store.byId(one.schemaId)
        for (const column of one.columns) {
          const field = schema.field(column.name)
          if (field === undefined || ['array', 'map', 'multiset', 'row'].includes(field.type.kind)) continue
          expect(typeText(field.type), `${one.id}: ${column.name}`).toBe(typeText(typeOf(column.type)))
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(1000)
  })

  test('ids of elements, keys and values are unique in a schema', async () => {
    const schema = (await new SchemaStore(io, pathsOf('types_parquet')).latest())!
    const ids = [...sharedSchema(0, schema.fields).columns()].map(({ field }) => field.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(50)
    expect(sharedType(typeOf('SMALLINT'), 1)).toEqual({ kind: 'int' })
    expect(sharedType(typeOf('TIMESTAMP(7)'), 1)).toEqual({ kind: 'timestamp_ns' })
    expect(sharedType(typeOf('TIMESTAMP_LTZ(3)'), 1)).toEqual({ kind: 'timestamptz' })
  })
})

const FIELDS =
  '"fields":[{"id":0,"name":"a","type":"INT"},{"id":1,"name":"b","type":"STRING"},{"id":2,"name":"p","type":"DATE"}]'

function schema(more: string): TableSchema {
  return tableSchemaOf(`{"id":0,${FIELDS}${more}}`, 'schema-0')
}

describe('schemas', () => {
  test('what older versions took for granted', () => {
    expect(schema('').options.get(BUCKET)).toBe(1)
    expect(schema('').options.get(FILE_FORMAT)).toBe('orc')
    expect(schema(',"version":2').options.get(BUCKET)).toBe(-1)
    expect(schema(',"version":2').options.get(FILE_FORMAT)).toBe('orc')
    expect(schema(',"version":3').options.get(FILE_FORMAT)).toBe('parquet')
    expect(schema(',"version":2,"options":{"file.format":"avro"}').options.get(FILE_FORMAT)).toBe('avro')
  })

  test('keys: trimmed of the partition, in the declared order; bucket keys default to them', () => {
    const one = schema(',"primaryKeys":["p","b","a"],"partitionKeys":["p"]')
    expect(one.trimmedPrimaryKeys.map((key) => key.name)).toEqual(['b', 'a'])
    expect(one.bucketKeys.map((key) => key.name)).toEqual(['b', 'a'])
    expect(schema(',"options":{"bucket-key":" b , a "}').bucketKeys.map((key) => key.name)).toEqual(['b', 'a'])
    expect(schema('').bucketKeys).toEqual([])
  })

  test('keys that name no column, or leave nothing, are refused', async () => {
    expect((await failure(() => schema(',"primaryKeys":["x"]'))).message).toMatch(/primaryKeys.*"x"/)
    expect((await failure(() => schema(',"primaryKeys":["p"],"partitionKeys":["p"]'))).code).toBe('CORRUPT_FILE')
  })

  test('buckets are alike only by ids, types and function', () => {
    const at = (options: string) => schema(`,"version":3,"options":{${options}}`)
    expect(at('"bucket-key":"a"').bucketsLike(at('"bucket-key":"a","bucket":"7"'))).toBe(true)
    expect(at('"bucket-key":"a"').bucketsLike(at('"bucket-key":"b"'))).toBe(false)
    expect(at('"bucket-key":"a,b"').bucketsLike(at('"bucket-key":"b,a"'))).toBe(false)
    expect(at('"bucket-key":"a"').bucketsLike(at('"bucket-key":"a","bucket-function.type":"mod"'))).toBe(false)
  })

  test('crafted and evolved tables: old buckets are not those of the newest schema', async () => {
    for (const table of ['evo_bucket_key', 'evo_type_hash', 'crafted_key_changed', 'crafted_order_changed']) {
      const store = new SchemaStore(io, pathsOf(table))
      expect((await store.byId(0)).bucketsLike((await store.latest())!), table).toBe(false)
    }
  })
})

describe('options', () => {
  const options = (map: Record<string, string>): Options => new Options(new Map(Object.entries(map)), 'table')

  test('sizes, durations and flags in the spellings of Java', () => {
    const bytes = (text: string): number => options({ s: text }).get(size('s', 0))
    expect(['1', '1b', '2 kb', '128 mb', '1g', '8kb'].map(bytes)).toEqual([1, 1, 2048, 134217728, 1073741824, 8192])
    const millis = (text: string) => options({ d: text }).get(optDuration('d'))
    expect(['5', '10 s', '100d', '2 min', 'PT1H'].map(millis)).toEqual([5, 10_000, 8_640_000_000, 120_000, 3_600_000])
    expect(options({ f: 'TRUE' }).get(flag('f', false))).toBe(true)
    expect(options({}).get(SPLIT_TARGET_SIZE)).toBe(128 * 1024 * 1024)
    expect(options({ 'partial-update.ignore-delete': 'true' }).get(IGNORE_DELETE)).toBe(true)
  })

  test('a value that is none is named', async () => {
    const error = await failure(() => options({ 'source.split.target-size': 'huge' }).get(SPLIT_TARGET_SIZE))
    expect(error.code).toBe('INVALID_ARGUMENT')
    expect(error.message).toMatch(/source\.split\.target-size.*huge/)
  })

  test('a scan may not change what the files were written with', async () => {
    const table = options({ bucket: '-1', 'ignore-delete': 'true', 'merge-engine': 'aggregation' })
    const over = (key: string, value: string) => overlayOptions(table, new Map([[key, value]]))
    for (const [key, value] of [
      ['bucket', '4'],
      ['ignore-delete', 'false'],
      ['merge-engine', 'deduplicate'],
      ['primary-key', 'x'],
    ] as const) {
      const error = await failure(() => over(key, value))
      expect([error.code, error.context.option]).toEqual(['INVALID_ARGUMENT', key])
    }
    expect(over('bucket', '-1').get(BUCKET)).toBe(-1)
    expect(over('scan.snapshot-id', '3').raw('scan.snapshot-id')).toBe('3')
  })
})

describe('snapshots', () => {
  const minimal =
    '"id":3,"schemaId":0,"baseManifestList":"b","deltaManifestList":"d","commitUser":"u","commitKind":"APPEND","timeMillis":5'

  test('64-bit sentinels are exact, unknown fields ignored, absent ones undefined', () => {
    const text = `{${minimal},"commitIdentifier":9223372036854775807,"watermark":-9223372036854775808,"new":[1]}`
    const snapshot = parseSnapshot(utf8(text), 'snapshot-3')
    expect(snapshot.commitIdentifier).toBe(BATCH_COMMIT_IDENTIFIER)
    expect(snapshot.watermark).toBeUndefined()
    expect(snapshot.version).toBe(1)
    expect(snapshot.totalRecordCount).toBeUndefined()
    const near = parseSnapshot(utf8(`{${minimal},"commitIdentifier":1,"watermark":9007199254740993}`), 's')
    expect(near.watermark).toBe(9007199254740993n)
  })

  test('history: by time and by watermark, as the reference resolves them', async () => {
    const store = new SnapshotStore(io, pathsOf('history'))
    let times = 0
    for (const one of casesOf('history')) {
      const { timestampMs, watermark } = one.scan
      const wanted = one.kind === 'error' ? undefined : BigInt(one.plan?.snapshotId ?? 0)
      if (timestampMs !== undefined && one.scan.branch === undefined) {
        expect((await store.earlierOrEqualTime(BigInt(timestampMs as number)))?.id, one.id).toBe(wanted)
        times++
      }
      if (watermark !== undefined && one.scan.branch === undefined) {
        expect((await store.laterOrEqualWatermark(BigInt(watermark as number)))?.id, one.id).toBe(wanted)
        times++
      }
    }
    expect(times).toBeGreaterThan(5)
  })

  test('expired, rolled back and never there are told apart', async () => {
    const expired = await failure(() => new SnapshotStore(io, pathsOf('expired')).byId(1n))
    expect(expired).toMatchObject({ code: 'UNKNOWN_SNAPSHOT', context: { expired: true, earliest: 10n, latest: 12n } })
    const ahead = await failure(() => new SnapshotStore(io, pathsOf('rolled_back')).byId(5n))
    expect(ahead).toMatchObject({ code: 'UNKNOWN_SNAPSHOT', context: { expired: false, earliest: 1n, latest: 4n } })
    expect((await failure(() => new SnapshotStore(io, pathsOf('empty_table')).byId(1n))).message).toMatch(
      /no snapshots/,
    )
  })

  test('changelogs outlive their snapshots', async () => {
    const store = new SnapshotStore(io, pathsOf('expired'))
    const first = await store.earliestChangelogId()
    expect(first).toBeLessThan((await store.earliestId())!)
    expect((await store.findChangelog(first!))!.id).toBe(first)
    expect(await store.find(first!)).toBeUndefined()
  })

  test('hints that lie are not believed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hints-'))
    const snapshots = join(folder, 'snapshot')
    mkdirSync(snapshots)
    const files = new NumberedFiles(io, snapshots, 'snapshot-')
    expect([await files.earliest(), await files.latest()]).toEqual([undefined, undefined])
    for (const id of [3, 9, 10, 11]) writeFileSync(join(snapshots, `snapshot-${id}`), '')
    writeFileSync(join(snapshots, 'snapshot-12.tmp'), '')
    for (const hint of ['9', '99', 'x', '', '0', '-1']) {
      writeFileSync(join(snapshots, 'LATEST'), hint)
      writeFileSync(join(snapshots, 'EARLIEST'), hint === '9' ? '1' : hint)
      expect([await files.earliest(), await files.latest()], hint).toEqual([3n, 11n])
    }
  })
})

describe('tags, branches, consumers, statistics', () => {
  test('tags of history', async () => {
    const paths = pathsOf('history')
    expect(await listTags(io, paths)).toEqual(['2024-05-06', 't1', 't3'])
    expect((await readTag(io, paths, 't1')).snapshot.id).toBe(1n)
    const error = await failure(() => readTag(io, paths, 'nope'))
    expect([error.code, error.context.tag]).toEqual(['UNKNOWN_REF', 'nope'])
  })

  test('the times of a tag, as text and as lists', () => {
    const base =
      '"id":1,"schemaId":0,"baseManifestList":"b","deltaManifestList":"d","commitUser":"u","commitIdentifier":1,"commitKind":"APPEND","timeMillis":5'
    const tag = (more: string) => parseTag(utf8(`{${base},${more}}`), 't', 'tag-t')
    const text = tag('"tagCreateTime":"2024-05-06T07:08:09.123","tagTimeRetained":"PT1H"')
    const list = tag('"tagCreateTime":[2024,5,6,7,8,9,123000000],"tagTimeRetained":3600.000000000')
    expect(text.createTime).toBe(1714979289123000n)
    expect(list.createTime).toBe(text.createTime)
    expect([text.timeRetained, list.timeRetained]).toEqual(['PT1H', 'PT1H'])
  })

  test('branches have metadata of their own', async () => {
    const paths = pathsOf('history')
    expect(await listBranches(io, paths)).toEqual(['blank', 'dev'])
    const dev = await branchPaths(io, paths, 'dev')
    expect(await new SnapshotStore(io, dev).range()).toEqual({ earliest: 3n, latest: 4n })
    expect(dev.manifest('m')).toBe(paths.manifest('m'))
    expect((await failure(() => branchPaths(io, paths, 'nope'))).code).toBe('UNKNOWN_REF')
    expect((await failure(() => new TablePaths('/t', '../x'))).code).toBe('INVALID_ARGUMENT')
  })

  test('consumers', async () => {
    const paths = pathsOf('consumer')
    expect(await findConsumer(io, paths, 'nobody')).toBeUndefined()
    expect((await findConsumer(io, paths, 'c1'))?.nextSnapshot).toBe(3n)
  })

  test('statistics', async () => {
    const text =
      '{"snapshotId":3,"schemaId":0,"mergedRecordCount":9007199254740993,"colStats":{"a":{"colId":0,"distinctCount":2,"min":"1","max":"9","nullCount":0}}}'
    const statistics = parseStatistics(utf8(text), 'stats')
    expect(statistics.mergedRecordCount).toBe(9007199254740993n)
    expect(statistics.colStats.get('a')).toEqual({ colId: 0, distinctCount: 2n, min: '1', max: '9', nullCount: 0n })
    expect((await failure(() => parseStatistics(utf8('{"snapshotId":"x"}'), 'stats'))).context.field).toBe('snapshotId')
  })
})
