import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import type { ScanMetrics, ScanReport } from '../../../ts/scan/report.js'
import type { FileScanTask } from '../../../ts/task/scan-task.js'
import { type Case, casesOf, describeTask, expectedTask, type Json, scanOf, tables } from './cases.js'

const range = ({ dataFile, start, length }: FileScanTask) => ({ path: dataFile.path, start, length })
const byPlace = (a: Json, b: Json) => {
  const key = (file: Json) => `${file.changeOrdinal ?? ''}|${file.operation ?? ''}|${file.path}|${file.start}`
  return key(a) < key(b) ? -1 : 1
}

async function checkPlan(testCase: Case): Promise<void> {
  let report: ScanReport | undefined
  const scan = scanOf(testCase)
  const tasks = await scan.reportTo((made) => (report = made)).planFiles()
  // Residuals are written with the schema that the scan binds to, whatever it selects.
  const schema = scan.select().schema()
  const planned = tasks.map((task) => describeTask(task, schema)).toSorted(byPlace)
  expect(planned).toEqual(
    testCase.plan!.map((file) => expectedTask(file, schema, testCase.scan.caseSensitive !== false)).toSorted(byPlace),
  )
  if (testCase.metrics !== undefined) {
    const expected = testCase.metrics as unknown as ScanMetrics
    expect(report?.metrics).toEqual(expected)
  }
}

async function checkGroups(testCase: Case): Promise<void> {
  const { splitSize, splitLookback, splitOpenFileCost } = testCase.scan as Record<string, number | undefined>
  const options = {
    splitSize,
    ...(splitLookback === undefined ? {} : { lookback: splitLookback }),
    ...(splitOpenFileCost === undefined ? {} : { openFileCost: splitOpenFileCost }),
  }
  const scan = scanOf(testCase)
  const place = ({ path, start, length }: Json) => ({ path, start, length })
  expect((await scan.splitFiles(options)).map(range)).toEqual(testCase.splits!.map(place))
  const groups = await scan.planTasks(options)
  expect(groups.map((group) => group.map(range))).toEqual(testCase.tasks!.map((group) => group.map(place)))
}

async function checkError(testCase: Case): Promise<void> {
  let error: unknown
  try {
    await scanOf(testCase).planFiles()
  } catch (thrown) {
    error = thrown
  }
  expect(LakefoldError.is(error), String(error)).toBe(true)
  expect((error as LakefoldError).code).not.toBe('INTERNAL')
}

describe.each(tables)('%s', (table) => {
  const cases = casesOf(table)
  it.each(cases.map((testCase) => [testCase.id, testCase] as const))('%s', async (_, testCase) => {
    // The failure of the reference is a defect of its own there: the plan need only succeed.
    if (testCase.evaluated !== undefined || testCase.check === 'changelog-replay') await scanOf(testCase).planFiles()
    else if (testCase.error !== undefined) await checkError(testCase)
    else if (testCase.planInexact !== undefined) await scanOf(testCase).planFiles()
    else await checkPlan(testCase)
    if (testCase.tasks !== undefined) await checkGroups(testCase)
  })
})

describe('the cases', () => {
  it('are all there', () => {
    expect(tables.flatMap(casesOf).length).toBe(2139)
  })
})
