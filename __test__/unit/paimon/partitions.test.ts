import { describe, expect, test } from 'vitest'
import { BinaryRow } from '../../../ts/paimon/metadata/binary-row.js'
import { serializeRow } from '../../../ts/paimon/metadata/binary-row-writer.js'
import { castDateTime, javaDateTime, javaFloat } from '../../../ts/paimon/metadata/java-text.js'
import { ownFile } from '../../../ts/paimon/metadata/loaded-file.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import type { EntryFilter } from '../../../ts/paimon/metadata/manifest-entry.js'
import { readManifestList } from '../../../ts/paimon/metadata/manifest-list.js'
import { parsePartitionSpec, parsePartitionValue } from '../../../ts/paimon/metadata/partition-filter.js'
import {
  escapePathName,
  partitionPath,
  partitionValueText,
  unescapePathName,
} from '../../../ts/paimon/metadata/partition-path.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { onlyNulls, SimpleStats } from '../../../ts/paimon/metadata/simple-stats.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { failure, field, io, pathsOf, typeOf } from './fixtures.js'

const LEGACY = { defaultName: '__DEFAULT_PARTITION__', legacy: true }
const CAST = { defaultName: 'none', legacy: false }

describe('partition folders', () => {
  test('values are spelled as the row holds them, or as a cast gives them', () => {
    const spelled = (type: string, value: never, spelling = LEGACY) =>
      partitionValueText(field('p', type), value, spelling)
    expect(spelled('DATE', 19737 as never)).toBe('19737')
    expect(spelled('DATE', 19737 as never, CAST)).toBe('2024-01-15')
    expect(spelled('DECIMAL(5,2)', 100n as never)).toBe('1.00')
    expect(spelled('STRING', '  ' as never)).toBe('__DEFAULT_PARTITION__')
    expect(spelled('STRING', null as never, CAST)).toBe('none')
    expect(spelled('TIMESTAMP(3)', 1704067200000000n as never)).toBe('2024-01-01T00:00')
    expect(spelled('TIMESTAMP(3)', 1704067200120000n as never, CAST)).toBe('2024-01-01 00:00:00.120')
    expect(spelled('TIME(3)', 3_600_000_000n as never, CAST)).toBe('01:00:00')
    expect(spelled('DOUBLE', 1e7 as never)).toBe('1.0E7')
  })

  test('characters that cannot stand in a path', () => {
    expect(escapePathName('a/b')).toBe('a%2Fb')
    expect(escapePathName('{br}:*?')).toBe('%7Bbr%7D%3A%2A%3F')
    expect(escapePathName('quote\'"')).toBe('quote%27%22')
    expect(escapePathName('per%cent us west ünï __x')).toBe('per%25cent us west ünï __x')
    expect(escapePathName('k=v\n\u007f')).toBe('k%3Dv%0A%7F')
    for (const text of ['a/b', '%2', 'per%cent', 'x%zz']) expect(unescapePathName(escapePathName(text))).toBe(text)
    const fields = [field('dt', 'STRING'), field('h', 'INT')]
    expect(partitionPath(fields, ['a=b', 3], LEGACY)).toBe('dt=a%3Db/h=3')
    expect(partitionPath([], [], LEGACY)).toBe('')
  })

  test('numbers and times as Java prints them', () => {
    expect([1, -0, 0.001, 0.00099, 9999999, 1e7, 1.5e-10, 123456.789].map((x) => javaFloat(x, 64))).toEqual([
      '1.0',
      '-0.0',
      '0.001',
      '9.9E-4',
      '9999999.0',
      '1.0E7',
      '1.5E-10',
      '123456.789',
    ])
    expect([0.1, 3.4028235e38, 1.17549435e-38, 16777216].map((x) => javaFloat(Math.fround(x), 32))).toEqual([
      '0.1',
      '3.4028235E38',
      '1.1754944E-38',
      '1.6777216E7',
    ])
    expect(javaDateTime(1_500_000n)).toBe('1970-01-01T00:00:00.001500')
    expect(javaDateTime(1n)).toBe('1970-01-01T00:00:00.000000001')
    expect(castDateTime(61_500_000_000n, 0)).toBe('1970-01-01 00:01:01.5')
  })
})

describe('partition filters', () => {
  const dt = field('dt', 'DATE')

  test('values as folder names spell them', () => {
    expect(parsePartitionValue('19737', dt)).toBe(19737)
    expect(parsePartitionValue('2024-01-15', dt)).toBe(19737)
    expect(parsePartitionValue('yes', field('b', 'BOOLEAN'))).toBe(true)
    expect(parsePartitionValue('1.10', field('d', 'DECIMAL(5,2)'))).toBe(110n)
    expect(parsePartitionValue('2024-01-01 00:00:00', field('t', 'TIMESTAMP(3)'))).toBe(1704067200000000n)
    expect(parsePartitionValue('1704067200000', field('t', 'TIMESTAMP(3)'))).toBe(1704067200000000n)
    const wanted = parsePartitionSpec({ dt: '__DEFAULT_PARTITION__' }, [dt], '__DEFAULT_PARTITION__')
    expect(wanted).toEqual([{ index: 0, field: dt, value: null }])
  })

  test('what is no value of the column, or no partition column, is named', async () => {
    const bad: [string, string][] = [
      ['not-a-date', 'DATE'],
      ['300', 'TINYINT'],
      ['1.234', 'DECIMAL(5,2)'],
      ['maybe', 'BOOLEAN'],
      ['', 'INT'],
      ['1e400x', 'DOUBLE'],
    ]
    for (const [text, type] of bad) {
      const error = await failure(() => parsePartitionValue(text, field('c', type)))
      expect([error.code, error.context.value], text).toEqual(['INVALID_LITERAL', text])
    }
    expect((await failure(() => parsePartitionSpec({ id: '3' }, [dt], 'x'))).code).toBe('UNKNOWN_COLUMN')
  })
})

describe('statistics', () => {
  const fields = [field('a', 'INT', 7), field('d', 'DOUBLE', 9)]
  const types = fields.map(({ type }) => type)
  const place = { file: 'manifest-1', field: '_VALUE_STATS' }
  const raw = (min: never[], max: never[], nullCounts: (bigint | undefined)[] | undefined) => ({
    minValues: serializeRow(types, min),
    maxValues: serializeRow(types, max),
    nullCounts,
  })

  test('bounds by field id; null, NaN and what is not listed are unknown', () => {
    const stats = new SimpleStats(
      raw([3 as never, Number.NaN as never], [null as never, 4.5 as never], [2n, undefined]),
      fields,
      place,
    )
    expect(stats.column(7)).toEqual({ min: 3, max: undefined, nullCount: 2n })
    expect(stats.column(9)).toEqual({ min: undefined, max: 4.5, nullCount: undefined })
    expect(stats.column(8)).toEqual({ min: undefined, max: undefined, nullCount: undefined })
    expect(onlyNulls(stats.column(7), 2n)).toBe(true)
    expect(onlyNulls(stats.column(9), 2n)).toBe(false)
  })

  test('no bytes and rows without fields are unknown', () => {
    const nothing = new SimpleStats(
      { minValues: new Uint8Array(0), maxValues: serializeRow([], []), nullCounts: undefined },
      fields,
      place,
    )
    expect(nothing.column(7)).toEqual({ min: undefined, max: undefined, nullCount: undefined })
  })
})

describe('reading a manifest by a filter', () => {
  async function entriesOf(table: string, filter?: EntryFilter) {
    const paths = pathsOf(table)
    const snapshot = (await new SnapshotStore(io, paths).latest())!
    const entries = []
    for (const list of [snapshot.baseManifestList, snapshot.deltaManifestList]) {
      for (const { fileName } of await readManifestList({ io }, paths.manifest(list))) {
        entries.push(...(await readManifest({ io }, paths.manifest(fileName), filter)).entries)
      }
    }
    return entries.map((entry) => ({ ...entry, file: ownFile(entry.file) }))
  }

  // Tables of several versions, whose manifests differ in their fields.
  for (const table of ['part_date', 'rescaled_pk', 'pk_levels', 'old_08_pk', 'old_09_dv']) {
    test(`${table}: what a filter lets through is what is left of all entries`, async () => {
      const all = await entriesOf(table)
      const filters: EntryFilter[] = [
        { head: ({ bucket }) => bucket === 1 },
        { head: ({ kind, totalBuckets }) => kind === 'ADD' && totalBuckets > 2 },
        { level: (level) => level > 0 },
        { entry: ({ file }) => file.fileName < 'data-8', head: ({ bucket }) => bucket === 0 },
        { level: () => false },
      ]
      expect(all.length).toBeGreaterThan(0)
      for (const filter of filters) {
        expect(await entriesOf(table, filter)).toEqual(
          all.filter(
            (entry) =>
              filter.head?.(entry) !== false &&
              filter.level?.(entry.file.level) !== false &&
              filter.entry?.(entry) !== false,
          ),
        )
      }
    })
  }

  test('partitions decode to the values that folders are named by', async () => {
    const schema = (await new SchemaStore(io, pathsOf('part_date')).latest())!
    const types = schema.partitionFields.map(({ type }) => type)
    const days = (await entriesOf('part_date')).map(
      ({ partition }) => BinaryRow.deserialize(partition, { file: 'm', field: 'p' }).values(types)[0],
    )
    expect(new Set(days)).toEqual(new Set([19737, 19768, 19797, null]))
    expect(typeOf('DATE').kind).toBe('date')
  })
})
