import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { LakefoldError } from '../../../ts/base/errors.js'
import { type Case, loadCases } from '../../conformance/case.js'
import { runCase } from '../../conformance/run-case.js'
import { type Answer, FakeEngine } from './fake-engine.js'

const folder = join(import.meta.dirname, '../../fixtures/iceberg')
let cases: Case[]
beforeAll(() => {
  cases = loadCases(folder)
})

const find = (test: (c: Case) => boolean): Case => {
  const found = cases.find(test)
  if (found === undefined) throw new Error('no such case')
  return found
}

async function problems(testCase: Case, spoil: (answer: Answer, asked: Case) => void = () => undefined) {
  const engine = new FakeEngine(folder, cases, spoil)
  return await runCase(testCase, { folder, engine, workers: [1, 2, 4] })
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
const firstFile = (answer: Answer) => answer.plan.files[0] as Mutable<Answer['plan']['files'][0]>
const firstDelete = (answer: Answer) => {
  const file = answer.plan.files.find((f) => f.deletes.length > 0) as Answer['plan']['files'][0]
  return file.deletes[0] as Mutable<(typeof file.deletes)[0]>
}
const replaceDeletes = (answer: Answer, make: (deletes: Answer['plan']['files'][0]['deletes']) => unknown) => {
  const file = answer.plan.files.find((f) => f.deletes.length > 0) as unknown as { deletes: unknown }
  file.deletes = make(file.deletes as never)
}

describe('a reader that answers every case as the case asks', () => {
  it('passes every case that is no changelog replay', async () => {
    const engine = new FakeEngine(folder, cases)
    const failed: string[] = []
    for (const testCase of cases.filter((c) => c.check !== 'changelog-replay')) {
      const found = await runCase(testCase, { folder, engine, workers: [1] })
      if (found.length > 0) failed.push(`${testCase.id}: ${found.join('; ')}`)
    }
    expect(failed).toEqual([])
  }, 240_000)
})

describe('a plan made wrong in one part fails', () => {
  const spoiled: [string, (c: Case) => boolean, (answer: Answer) => void][] = [
    ['an entry gone', () => true, (a) => void a.plan.files.shift()],
    ['an entry doubled', () => true, (a) => void a.plan.files.push(firstFile(a))],
    ['another path', () => true, (a) => void (firstFile(a).path += 'x')],
    ['another start', () => true, (a) => void (firstFile(a).start += 1n)],
    ['another length', () => true, (a) => void (firstFile(a).length -= 1n)],
    ['another format', () => true, (a) => void (firstFile(a).format = 'orc')],
    ['another spec id', () => true, (a) => void (firstFile(a).specId += 1)],
    ['another record count', () => true, (a) => void (firstFile(a).recordCount += 1n)],
    ['another file size', () => true, (a) => void (firstFile(a).fileSizeInBytes += 1n)],
    ['another data sequence number', () => true, (a) => void (firstFile(a).dataSequenceNumber = 99n)],
    ['no data sequence number', () => true, (a) => void (firstFile(a).dataSequenceNumber = undefined)],
    ['another file sequence number', () => true, (a) => void (firstFile(a).fileSequenceNumber = 99n)],
    [
      'another first row id',
      (c) => c.plan?.[0]?.firstRowId !== undefined,
      (a) => void (firstFile(a).firstRowId = 12345n),
    ],
    [
      'no first row id',
      (c) => c.plan?.[0]?.firstRowId !== undefined,
      (a) => void (firstFile(a).firstRowId = undefined),
    ],
    [
      'another partition value',
      (c) => Object.keys(c.plan?.[0]?.partition ?? {}).length > 0,
      (a) => {
        const [name] = Object.keys(firstFile(a).partition)
        firstFile(a).partition = { ...firstFile(a).partition, [name as string]: 'other' }
      },
    ],
    ['a partition field gone', (c) => c.table === 'part_day', (a) => void (firstFile(a).partition = {})],
    [
      'a residual where none is left',
      (c) => c.plan?.[0]?.residual === true,
      (a) => {
        firstFile(a).residual = '["is-null","id"]'
      },
    ],
    ['a delete gone', hasDeletes, (a) => replaceDeletes(a, (d) => d.slice(1))],
    ['a delete doubled', hasDeletes, (a) => replaceDeletes(a, (d) => [...d, d[0]])],
    ['a delete of another path', hasDeletes, (a) => void (firstDelete(a).path += 'x')],
    ['a delete of another content', hasDeletes, (a) => void (firstDelete(a).content = 'data')],
    ['a delete of another format', hasDeletes, (a) => void (firstDelete(a).format = 'csv')],
    ['a delete of another record count', hasDeletes, (a) => void (firstDelete(a).recordCount += 1n)],
    ['a delete of another size', hasDeletes, (a) => void (firstDelete(a).fileSizeInBytes += 1n)],
    ['a delete of another spec', hasDeletes, (a) => void (firstDelete(a).specId += 1)],
    ['a delete of another sequence number', hasDeletes, (a) => void (firstDelete(a).dataSequenceNumber += 1n)],
    ['a vector at another offset', hasVector, (a) => void (firstDelete(a).contentOffset = 7n)],
    ['a vector of another length', hasVector, (a) => void (firstDelete(a).contentSizeInBytes = 7n)],
    ['a vector of another file', hasVector, (a) => void (firstDelete(a).referencedDataFile = 'x')],
    ['other equality ids', hasEqualityDeletes, (a) => void (firstDelete(a).equalityIds = [77])],
    [
      'a counter off',
      (c) => c.metrics !== undefined,
      (a) => {
        a.plan.metrics = { ...a.plan.metrics, 'skipped-data-files': 77 }
      },
    ],
    [
      'a counter gone',
      (c) => c.metrics !== undefined,
      (a) => {
        a.plan.metrics = { ...a.plan.metrics, dvs: undefined }
      },
    ],
    ['no counters', (c) => c.metrics !== undefined, (a) => void delete a.plan.metrics],
    ['a split gone', hasSplits, (a) => void a.plan.splits?.pop()],
    ['a split added', hasSplits, (a) => void a.plan.splits?.push({ path: 'x', start: 0n, length: 1n })],
    ['a split moved', hasSplits, (a) => void a.plan.splits?.reverse()],
    ['no splits', hasSplits, (a) => void delete a.plan.splits],
    ['a task group gone', hasSplits, (a) => void a.plan.tasks?.pop()],
    ['task groups in another order', hasSplits, (a) => void a.plan.tasks?.reverse()],
    [
      'a range moved to another group',
      hasSplits,
      (a) => void a.plan.tasks?.[0]?.push(a.plan.tasks?.[1]?.pop() as never),
    ],
  ]
  function hasDeletes(c: Case) {
    return c.plan?.some((entry) => (entry.deletes?.length ?? 0) > 0) ?? false
  }
  function hasVector(c: Case) {
    return c.table === 'dv_v3' && hasDeletes(c)
  }
  function hasEqualityDeletes(c: Case) {
    return c.table === 'eqdel_basic' && hasDeletes(c)
  }
  function hasSplits(c: Case) {
    return c.splits !== undefined && (c.tasks?.length ?? 0) > 1 && (c.plan?.length ?? 0) > 1
  }
  for (const [what, fits, spoil] of spoiled) {
    it(what, async () => {
      const testCase = find((c) => (c.plan?.length ?? 0) > 0 && c.planInexact === undefined && !c.check && fits(c))
      expect(await problems(testCase)).toEqual([])
      expect(await problems(testCase, (answer) => spoil(answer))).not.toEqual([])
    })
  }

  it('of a changelog: operation, ordinal, snapshot', async () => {
    const testCase = find((c) => c.scan.changelog === true && (c.plan?.length ?? 0) > 1)
    expect(await problems(testCase)).toEqual([])
    expect(await problems(testCase, (a) => void (firstFile(a).operation = 'UPDATE'))).not.toEqual([])
    expect(await problems(testCase, (a) => void (firstFile(a).changeOrdinal = 9))).not.toEqual([])
    expect(await problems(testCase, (a) => void (firstFile(a).commitSnapshotId = 9n))).not.toEqual([])
  })

  it('but not where the case says that the plan is inexact', async () => {
    const testCase = find((c) => c.planInexact !== undefined && (c.plan?.length ?? 0) > 0)
    expect(await problems(testCase, (a) => void a.plan.files.shift())).toEqual([])
    expect(await problems(testCase, (a) => void a.rows.shift())).not.toEqual([])
  })
})

describe('rows made wrong in one part fail', () => {
  const spoiled: [string, (answer: Answer) => void][] = [
    ['dropped', (a) => void a.rows.pop()],
    ['doubled', (a) => void a.rows.push(a.rows[0] as string)],
    ['changed', (a) => void (a.rows[0] = (a.rows[0] as string).replace(/\d/, (d) => `${(Number(d) + 1) % 10}`))],
    ['one in place of another', (a) => void (a.rows[0] = a.rows[1] as string)],
    ['a column gone', (a) => void (a.rows[0] = JSON.stringify({ ...JSON.parse(a.rows[0] as string), id: undefined }))],
    ['a column added', (a) => void (a.rows[0] = JSON.stringify({ ...JSON.parse(a.rows[0] as string), more: 1 }))],
    ['fewer with more workers', (a) => void (a.parallelRows = a.rows.slice(1))],
    ['in another order with more workers', (a) => void (a.parallelRows = a.rows.toReversed())],
    ['a count off', (a) => void (a.count += 1n)],
  ]
  for (const [what, spoil] of spoiled) {
    it(what, async () => {
      const testCase = find((c) => c.table === 'v1_unpartitioned' && (c.count ?? 0) > 3)
      expect(await problems(testCase)).toEqual([])
      expect(await problems(testCase, (answer) => spoil(answer))).not.toEqual([])
    })
  }

  it('in another order than the case is no fault', async () => {
    const testCase = find((c) => (c.count ?? 0) > 3)
    expect(await problems(testCase, (a) => void a.rows.reverse())).toEqual([])
  })

  it('an error where rows are asked for', async () => {
    const testCase = find((c) => (c.count ?? 0) > 3)
    const error = new LakefoldError('CORRUPT_FILE', 'no')
    expect(await problems(testCase, (a) => void (a.error = error))).not.toEqual([])
  })

  it('of a case with `evaluated`', async () => {
    const testCase = find((c) => c.evaluated !== undefined)
    expect(await problems(testCase)).toEqual([])
    expect(await problems(testCase, (a) => void a.rows.pop())).not.toEqual([])
  })
})

describe('errors', () => {
  it('expected but none', async () => {
    const testCase = find((c) => c.error !== undefined && c.evaluated === undefined)
    expect(await problems(testCase)).toEqual([])
    expect(await problems(testCase, (a) => void delete a.error)).not.toEqual([])
  })

  it('not a LakefoldError, or of another kind', async () => {
    const testCase = find((c) => /Cannot find ref/.test(c.error?.message ?? ''))
    expect(await problems(testCase, (a) => void (a.error = new Error('no ref')))).not.toEqual([])
    const other = new LakefoldError('CORRUPT_FILE', 'no ref')
    expect(await problems(testCase, (a) => void (a.error = other))).not.toEqual([])
  })

  it('of broken metadata must name the file', async () => {
    const testCase = find((c) => c.check === 'rows-or-error')
    const of = (file: string) => new LakefoldError('CORRUPT_FILE', 'broken', { context: { file } })
    const named = of(`file:/lake/iceberg/${testCase.table}/metadata/m0.avro`)
    expect(await problems(testCase)).toEqual([])
    expect(await problems(testCase, (a) => void (a.error = named))).toEqual([])
    expect(await problems(testCase, (a) => void (a.error = of('?')))).not.toEqual([])
    expect(await problems(testCase, (a) => void (a.error = new TypeError('x')))).not.toEqual([])
    expect(await problems(testCase, (a) => void a.rows.pop())).not.toEqual([])
  })
})
