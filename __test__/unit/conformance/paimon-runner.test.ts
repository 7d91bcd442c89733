import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { LakefoldError } from '../../../ts/base/errors.js'
import { type CasePlan, loadPaimonCases, type PaimonCase } from '../../conformance/paimon/case.js'
import type { PaimonEngine } from '../../conformance/paimon/engine.js'
import { type Row, readCaseRows } from '../../conformance/paimon/rows.js'
import { runPaimonCase } from '../../conformance/paimon/run-case.js'
import { columnsOf } from '../../conformance/paimon/type.js'

const folder = join(import.meta.dirname, '../../fixtures/paimon')
let cases: PaimonCase[]
beforeAll(() => {
  cases = loadPaimonCases(folder)
})

const byId = (id: string): PaimonCase => {
  const found = cases.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no case ${id}`)
  return found
}

/** What a made-up reader answers; a test spoils one part of it. */
interface Answer {
  plans: CasePlan[]
  rows: Row[]
  columns: string[]
  count: bigint
  partitions: unknown[]
  error?: unknown
}

/** Answers with what the case itself expects, after `spoil`. */
async function problems(testCase: PaimonCase, spoil: (answer: Answer, workers: number) => void = () => undefined) {
  const columns = columnsOf(testCase.columns ?? [])
  const answer = (workers: number): Answer => {
    const file = testCase.rowsFile
    const rows = file === undefined ? [] : readCaseRows(join(folder, 'cases', file), columns)
    const made: Answer = {
      plans: structuredClone([...(testCase.plans ?? (testCase.plan === undefined ? [] : [testCase.plan]))]),
      rows: testCase.scan.limit === undefined ? rows : rows.slice(0, testCase.count),
      columns: columns.map((column) => column.name),
      count: BigInt(testCase.count ?? 0),
      partitions: structuredClone([...(testCase.partitions ?? [])]),
      ...(testCase.error !== undefined && { error: new LakefoldError('UNKNOWN_SNAPSHOT', 'as asked') }),
    }
    spoil(made, workers)
    if (made.error !== undefined) throw made.error
    return made
  }
  const engine: PaimonEngine = {
    open: async () => ({
      scan: () => ({
        plan: async () => answer(1).plans[0] as never,
        rows: async ({ workers }) => answer(workers),
        count: async () => answer(1).count,
        stream: async ({ workers }) => {
          const { plans, rows, columns: names } = answer(workers)
          return plans.map((plan, i) => ({ plan, columns: names, rows: rows.filter((row) => row._plan === i) }))
        },
      }),
      system: async (_, workers) => answer(workers),
      listPartitions: async () => answer(1).partitions as never,
    }),
    bucket: async () => ({ buckets: [] }),
  }
  return runPaimonCase(testCase, { folder, engine, workers: [1, 2, 4] })
}

type Loose = { [name: string]: never }
const firstSplit = (answer: Answer) => answer.plans[0]?.splits[0] as unknown as Loose
const firstFile = (answer: Answer) => (firstSplit(answer).files as unknown as Loose[])[0] as Loose
const set = (object: Loose, name: string, value: unknown) => Object.assign(object, { [name]: value })

const SCAN = 'append_dv__001_all'
const STREAM = 'cl_lookup__011_from_1'

const spoiled: [string, string, (answer: Answer, workers: number) => void][] = [
  ['a split gone', SCAN, (a) => void ((a.plans[0] as CasePlan).splits as unknown[]).pop()],
  ['a file gone', SCAN, (a) => void (firstSplit(a).files as unknown as unknown[]).pop()],
  ['files in another order', SCAN, (a) => void (firstSplit(a).files as unknown as unknown[]).reverse()],
  ['another snapshot', SCAN, (a) => set(a.plans[0] as never, 'snapshotId', 1)],
  ['another partition', SCAN, (a) => set(firstSplit(a), 'partition', { p: 'x' })],
  ['another bucket', SCAN, (a) => set(firstSplit(a), 'bucket', 7)],
  ['another bucket count', SCAN, (a) => set(firstSplit(a), 'totalBuckets', 7)],
  ['another bucket path', SCAN, (a) => set(firstSplit(a), 'bucketPath', 'x')],
  ['not raw', SCAN, (a) => set(firstSplit(a), 'rawConvertible', false)],
  ['another row count', SCAN, (a) => set(firstSplit(a), 'rowCount', 1)],
  ['a merged row count off', SCAN, (a) => set(firstSplit(a), 'mergedRowCount', 1)],
  ['no deletion files', SCAN, (a) => set(firstSplit(a), 'deletionFiles', null)],
  ...['level', 'rowCount', 'schemaId', 'fileSize', 'minSequenceNumber', 'deleteRowCount', 'fileSource'].map(
    (name): [string, string, (answer: Answer) => void] => [
      `another ${name} of a file`,
      SCAN,
      (a) => set(firstFile(a), name, 99),
    ],
  ),
  ['a row gone', SCAN, (a) => void a.rows.pop()],
  ['a row doubled', SCAN, (a) => void a.rows.push(a.rows[0] as Row)],
  ['a value changed', SCAN, (a) => void (a.rows[0] = { ...a.rows[0], v: 'other' })],
  ['a column gone', SCAN, (a) => void a.columns.pop()],
  ['a count off', SCAN, (a) => void (a.count += 1n)],
  ['fewer rows with more workers', SCAN, (a, workers) => void (workers > 2 && a.rows.pop())],
  ['another order with more workers', SCAN, (a, workers) => void (workers > 2 && a.rows.reverse())],
  ['an error', SCAN, (a) => void (a.error = new LakefoldError('CORRUPT_FILE', 'no'))],
  ['a plan of a stream gone', STREAM, (a) => void a.plans.pop()],
  ['another next snapshot', STREAM, (a) => set(a.plans[0] as never, 'nextSnapshotId', 99)],
  ['another kind', STREAM, (a) => void (a.rows[0] = { ...a.rows[0], _kind: '-D' })],
  ['a row in another plan', STREAM, (a) => void (a.rows[0] = { ...a.rows[0], _plan: 1 })],
  [
    'a row that is not of the table, with a limit',
    'pk_agg__005_limit',
    (a) => void (a.rows[0] = { ...a.rows[0], id: -5 }),
  ],
  ['more rows than the limit', 'pk_agg__005_limit', (a) => void a.rows.push(a.rows[0] as Row)],
  ['an element of an unordered array gone', 'pk_agg__002_all', (a) => void (a.rows[0] = { ...a.rows[0], col: [] })],
  ['a row of a system table gone', 'append_dv__010_sys_snapshots', (a) => void a.rows.pop()],
  ['a partition gone', 'ft_csv__012_list_partitions', (a) => void a.partitions.pop()],
  ['a format split moved', 'ft_csv__001_all', (a) => set(firstSplit(a), 'offset', 5)],
  ['no error', 'append_unaware__040_snap_missing', (a) => void delete a.error],
  ['an error that is not ours', 'append_unaware__040_snap_missing', (a) => void (a.error = new Error('no'))],
  [
    'an error of another kind',
    'append_unaware__040_snap_missing',
    (a) => void (a.error = new LakefoldError('IO_ERROR', 'x')),
  ],
]

describe('a Paimon case that is answered wrong in one part fails', () => {
  for (const [what, id, spoil] of spoiled) {
    it(`${what} (${id})`, async () => {
      expect(await problems(byId(id))).toEqual([])
      expect(await problems(byId(id), spoil)).not.toEqual([])
    })
  }
})

describe('what a Paimon case leaves open is no fault', () => {
  it('the order of splits and rows', async () => {
    const shuffle = (answer: Answer) => {
      ;((answer.plans[0] as CasePlan).splits as unknown[]).reverse()
      answer.rows.reverse()
    }
    expect(await problems(byId(SCAN), shuffle)).toEqual([])
  })

  it('the second lawful answer, whole', async () => {
    const testCase = byId('row_tracking__002_ranges')
    const alternative = readCaseRows(
      join(folder, 'cases', testCase.altRowsFile ?? ''),
      columnsOf(testCase.columns ?? []),
    )
    const answer = (a: Answer) => {
      a.rows = alternative
      a.count = BigInt(testCase.altCount ?? 0)
    }
    expect(await problems(testCase, answer)).toEqual([])
    expect(await problems(testCase, (a) => void (a.rows = [...alternative, a.rows[0] as Row]))).not.toEqual([])
  })

  it('the order of an unordered array', async () => {
    const turn = (a: Answer) => {
      a.rows = a.rows.map((row) => ({ ...row, col: Array.isArray(row.col) ? row.col.toReversed() : row.col }))
    }
    expect(await problems(byId('pk_agg__002_all'), turn)).toEqual([])
  })
})
