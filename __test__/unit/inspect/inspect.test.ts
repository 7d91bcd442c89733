import { readFileSync } from 'node:fs'
import { type Data, DataType, type Table } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { inspect, type TableInspector } from '../../../ts/iceberg/inspect/inspect.js'
import { loadTableMetadata } from '../../../ts/iceberg/metadata/load.js'
import { LocalFileIO } from '../../../ts/io/local.js'

const FIXTURES = new URL('../../fixtures/iceberg/', import.meta.url).pathname
const io = new LocalFileIO({ rewriteLocations: { 'file:/lake/iceberg': `${FIXTURES}tables` } })

type Row = Record<string, unknown>
type Name = keyof TableInspector

/**
 * What PyIceberg 0.12.0's `table.inspect` gives for the same metadata files: bytes as hex, times as micros, dates as days; without the
 * empty partition of unpartitioned tables and the readable metrics of a struct, which Iceberg Java does not have.
 */
const expected = JSON.parse(readFileSync(new URL('./expected.json', import.meta.url), 'utf8')) as Record<
  string,
  { metadata: string } & Partial<Record<Name, Row[]>>
>

async function inspector(metadata: string): Promise<TableInspector> {
  return inspect(await loadTableMetadata(io, FIXTURES + metadata), io)
}

/** A value of a column by its raw Arrow memory. */
function plain(data: Data, row: number): unknown {
  const index = row
  if (!data.getValid(index)) return null
  const { type } = data
  const offsets = data.valueOffsets as Int32Array
  if (DataType.isStruct(type)) {
    return Object.fromEntries(type.children.map((field, i) => [field.name, plain(data.children[i]!, index)]))
  }
  if (DataType.isList(type) || DataType.isMap(type)) {
    const items: unknown[] = []
    for (let i = offsets[index]!; i < offsets[index + 1]!; i++) {
      const item = plain(data.children[0]!, i)
      items.push(DataType.isMap(type) ? Object.values(item as Row) : item)
    }
    return items
  }
  if (DataType.isUtf8(type)) return Buffer.from(data.values.subarray(offsets[index], offsets[index + 1])).toString()
  if (DataType.isBinary(type)) {
    return Buffer.from(data.values.subarray(offsets[index], offsets[index + 1])).toString('hex')
  }
  if (DataType.isBool(type)) return ((data.values as Uint8Array)[index >> 3]! & (1 << (index & 7))) !== 0
  if (DataType.isDecimal(type)) {
    const words = data.values as Uint32Array
    const unscaled = BigInt.asIntN(
      128,
      [3, 2, 1, 0].reduce((sum, w) => (sum << 32n) | BigInt(words[index * 4 + w]!), 0n),
    )
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(type.scale + 1, '0')
    return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -type.scale)}.${digits.slice(-type.scale)}`
  }
  const value = (data.values as Int32Array | BigInt64Array | Float64Array)[index]!
  if (typeof value !== 'bigint') return value
  return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : String(value)
}

function rows(table: Table): Row[] {
  const [batch] = table.batches
  return Array.from({ length: table.numRows }, (_, row) => plain(batch!.data, row) as Row)
}

/** The members of `row` that `like` has, at any depth: PyIceberg leaves some of Java's columns out. */
function alike(row: unknown, like: unknown): unknown {
  if (Array.isArray(row) && Array.isArray(like)) return row.map((item, i) => alike(item, like[i]))
  if (typeof row !== 'object' || row === null || typeof like !== 'object' || like === null) return row
  return Object.fromEntries(Object.keys(like).map((key) => [key, alike((row as Row)[key], (like as Row)[key])]))
}

function sorted(list: readonly unknown[]): unknown[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

describe('evidence tables say what another implementation says', () => {
  for (const [table, { metadata, ...tables }] of Object.entries(expected)) {
    for (const [name, want] of Object.entries(tables) as [Name, Row[]][]) {
      it(`${table}.${name}`, async () => {
        const got = rows(await (await inspector(metadata))[name]())
        expect(got.length).toBe(want.length)
        const [a, b] =
          name === 'partitions' || name === 'refs'
            ? [sorted(got.map((r, i) => alike(r, want[i]))), sorted(want)]
            : [got.map((r, i) => alike(r, want[i])), want]
        expect(a).toEqual(b)
      })
    }
  }
})

describe('evidence tables have the columns of Iceberg', () => {
  const columns = (table: Table) => table.schema.fields.map((field) => field.name).join(' ')
  const FILE =
    'record_count file_size_in_bytes column_sizes value_counts null_value_counts nan_value_counts lower_bounds upper_bounds ' +
    'key_metadata split_offsets equality_ids sort_order_id first_row_id referenced_data_file content_offset content_size_in_bytes'

  it('of a partitioned table', async () => {
    const table = await inspector('tables/dv_v3/metadata/v8.metadata.json')
    expect(columns(await table.snapshots())).toBe('committed_at snapshot_id parent_id operation manifest_list summary')
    expect(columns(await table.history())).toBe('made_current_at snapshot_id parent_id is_current_ancestor')
    expect(columns(await table.refs())).toBe(
      'name type snapshot_id max_reference_age_in_ms min_snapshots_to_keep max_snapshot_age_in_ms',
    )
    expect(columns(await table.files())).toBe(
      `content file_path file_format spec_id partition ${FILE} readable_metrics`,
    )
    expect(columns(await table.entries())).toBe(
      'status snapshot_id sequence_number file_sequence_number data_file readable_metrics',
    )
  })

  it('without partition for a table that never had one', async () => {
    const table = await inspector(expected.refs_branches!.metadata)
    expect(columns(await table.files())).toBe(`content file_path file_format spec_id ${FILE} readable_metrics`)
    expect(columns(await table.partitions())).not.toContain('spec_id')
  })

  it('and no rows for a table that was never written', async () => {
    const table = await inspector('tables/empty_never_written/metadata/v1.metadata.json')
    for (const name of ['snapshots', 'history', 'refs', 'manifests', 'files', 'entries', 'partitions'] as const) {
      expect((await table[name]()).numRows).toBe(0)
    }
  })
})

describe('deletion vectors', () => {
  it('stand in files with the data file and byte range that the plan of the reference names', async () => {
    interface Case {
      readonly id: string
      readonly metadata: string
      readonly scan: Record<string, unknown>
      readonly plan?: { deletes: Record<string, string | number>[] }[]
    }
    const cases = JSON.parse(readFileSync(`${FIXTURES}cases/dv_v3.json`, 'utf8')) as Case[]
    const whole = cases.find((c) => Object.keys(c.scan).length === 0 && c.plan !== undefined)!
    const files = rows(await (await inspector(whole.metadata)).files())
    const vectors = whole.plan!.flatMap((entry) => entry.deletes)
    expect(vectors.length).toBeGreaterThan(0)
    for (const dv of vectors) {
      const match = files.find(
        (file) => file.file_path === dv.path && file.referenced_data_file === dv.referencedDataFile,
      )
      expect(match).toMatchObject({
        content: 1,
        file_format: 'PUFFIN',
        content_offset: Number(dv.contentOffset),
        content_size_in_bytes: Number(dv.contentSizeInBytes),
      })
    }
  })
})
