import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { ChangelogScan, IncrementalAppendScan } from '../../../ts/iceberg/scan/incremental.js'
import { TableScan } from '../../../ts/iceberg/scan/table-scan.js'
import { casesOf, io, metadataOf, scanOf } from '../plan/cases.js'

const metadata = metadataOf('tables/incremental/metadata/v10.metadata.json')
const refs = metadataOf(casesOf('refs_branches')[0]!.metadata)
const append = () => IncrementalAppendScan.of(metadata, io)
const current = metadata.currentSnapshot()!
const parent = current.parentSnapshotId!

function code(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (LakefoldError.is(error)) return error.code
    throw error
  }
  return 'none'
}

describe('ranges', () => {
  it('end at the current snapshot and follow parents', () => {
    const snapshots = append().snapshots()
    expect(snapshots[0]).toBe(current)
    snapshots.slice(1).forEach((snapshot, i) => {
      expect(snapshots[i]?.parentSnapshotId).toBe(snapshot.snapshotId)
    })
  })

  it('from a snapshot exclusively start with its child, inclusively with itself', () => {
    expect(append().fromSnapshotExclusive(parent).snapshots()).toEqual([current])
    expect(append().fromSnapshotInclusive(String(current.snapshotId)).snapshots()).toEqual([current])
  })

  it('that are none are errors', () => {
    expect(code(() => append().toSnapshot(42))).toBe('UNKNOWN_SNAPSHOT')
    expect(code(() => append().fromSnapshotInclusive(42))).toBe('UNKNOWN_SNAPSHOT')
    expect(code(() => append().fromSnapshotExclusive(42).snapshots())).toBe('UNKNOWN_SNAPSHOT')
    expect(code(() => append().fromSnapshotExclusive(current.snapshotId).snapshots())).toBe('UNKNOWN_SNAPSHOT')
    expect(code(() => append().fromSnapshotInclusive(current.snapshotId).toSnapshot(parent).snapshots())).toBe(
      'UNKNOWN_SNAPSHOT',
    )
  })

  it('take tags as ends and branches as lineages, not the other way round', () => {
    const scan = IncrementalAppendScan.of(refs, io)
    const names = (type: string) => [...refs.refs].filter(([, ref]) => ref.type === type).map(([name]) => name)
    const [tag] = names('tag')
    const branch = names('branch').find((name) => name !== 'main')
    expect(scan.toSnapshot(tag!).snapshots()[0]?.snapshotId).toBe(refs.refs.get(tag!)?.snapshotId)
    expect(scan.useBranch(branch!).snapshots()[0]?.snapshotId).toBe(refs.refs.get(branch!)?.snapshotId)
    expect(code(() => scan.toSnapshot(branch!))).toBe('INVALID_ARGUMENT')
    expect(code(() => scan.useBranch(tag!))).toBe('INVALID_ARGUMENT')
    expect(code(() => scan.useBranch('nope'))).toBe('UNKNOWN_REF')
    expect(code(() => scan.fromSnapshotExclusive('nope'))).toBe('UNKNOWN_REF')
  })
})

describe('a changelog', () => {
  it('has its three columns, unless others are selected', () => {
    const scan = ChangelogScan.of(metadata, io)
    const names = (of: { fields: readonly { name: string }[] }) => of.fields.map((field) => field.name)
    expect(names(scan.schema()).slice(-3)).toEqual(['_change_type', '_change_ordinal', '_commit_snapshot_id'])
    expect(names(scan.select('id', '_change_type').schema())).toEqual(['id', '_change_type'])
    expect(code(() => TableScan.of(metadata, io).select('_change_type').schema())).toBe('UNKNOWN_COLUMN')
  })

  it('counts ordinals from 0, oldest first, deletes before inserts', async () => {
    const tasks = await ChangelogScan.of(metadata, io).planFiles()
    const keys = tasks.map(({ parts }) => {
      const type = parts.constants.get(2147483543) === 'DELETE' ? 0 : 1
      return Number(parts.constants.get(2147483542)) * 2 + type
    })
    expect(keys[0]).toBeLessThan(2)
    expect(keys).toEqual(keys.toSorted((a, b) => a - b))
  })

  const replays = ['incremental_mor', 'incremental_dv', 'incremental']
    .flatMap(casesOf)
    .filter(({ scan, error }) => scan.changelog === true && error === undefined)

  it.each(replays.map((testCase) => [testCase.id, testCase] as const))('replays: %s', async (_, testCase) => {
    const table = metadataOf(testCase.metadata)
    const { fromSnapshotIdExclusive: from, toSnapshotId: to } = testCase.scan.incremental as Record<string, string>
    const count = (rows: Map<string, number>, row: Record<string, unknown>, by: number) => {
      const own = Object.entries(row).filter(([name]) => !name.startsWith('_c'))
      const key = JSON.stringify(own, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      rows.set(key, (rows.get(key) ?? 0) + by)
      if (rows.get(key) === 0) rows.delete(key)
    }
    const rowsAt = async (id: string) => {
      const rows = new Map<string, number>()
      for await (const row of TableScan.of(table, io).useSnapshot(id).rows()) count(rows, row, 1)
      return rows
    }
    const replayed = await rowsAt(from!)
    for await (const row of scanOf(testCase).rows()) count(replayed, row, row._change_type === 'INSERT' ? 1 : -1)
    expect(replayed).toEqual(await rowsAt(to ?? String(table.currentSnapshotId)))
  })
})
