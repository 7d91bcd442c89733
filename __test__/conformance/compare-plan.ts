import type { Case, CaseDelete, CasePlanEntry, CaseRange } from './case.js'
import type { EnginePlan, PlannedDelete, PlannedFile, Range } from './engine.js'
import { difference } from './equivalent.js'
import { fromDsl, fromRest } from './expression.js'
import { canonical, type Json, parseJson } from './json.js'
import type { Column } from './schema.js'

type Whole = number | bigint | null | undefined
const whole = (value: Whole) => (value === null || value === undefined ? 'none' : BigInt(value).toString())
const rangeKey = (range: CaseRange | Range) => `${range.path}@${range.start}+${range.length}`
const short = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** What the metadata file says about the values of a case's plan. */
export interface PlanTypes {
  readonly columns: readonly Column[]
  /** Partition fields whose values are hex, in either letter case. */
  readonly hexPartitions: ReadonlySet<string>
}

/** Every way in which a plan differs from the case's; empty if it is the same. */
export function comparePlan(testCase: Case, plan: EnginePlan, types: PlanTypes): string[] {
  const problems: string[] = []
  if (testCase.plan !== undefined && testCase.planInexact === undefined) {
    problems.push(...compareFiles(testCase, plan.files, types))
    problems.push(...compareMetrics(testCase, plan))
  }
  if (testCase.splits !== undefined) {
    problems.push(...compareRanges('split', testCase.splits, plan.splits))
  }
  if (testCase.tasks !== undefined) {
    const [expected, actual] = [testCase.tasks, plan.tasks]
    if (actual === undefined) problems.push('no task groups')
    else if (actual.length !== expected.length) {
      problems.push(`${actual.length} task groups, not ${expected.length}`)
    }
    expected.forEach((group, i) => {
      problems.push(...compareRanges(`task group ${i}, range`, group, actual?.[i] ?? []))
    })
  }
  return problems
}

function compareRanges(what: string, expected: readonly CaseRange[], actual: readonly Range[] | undefined): string[] {
  if (actual === undefined) return [`no ${what}s`]
  const problems: string[] = []
  for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
    const [e, a] = [expected[i], actual[i]]
    const [left, right] = [e && rangeKey(e), a && rangeKey(a)]
    if (left !== right) problems.push(`${what} ${i} is ${right ?? 'missing'}, not ${left ?? 'there'}`)
  }
  return problems
}

/** The plan is a set; the order that Java planned in shows in the splits. Two changelog entries may be of one file. */
const fileKey = (entry: CasePlanEntry | PlannedFile) =>
  `${entry.operation ?? ''} ${entry.changeOrdinal ?? ''} ${rangeKey(entry)}`

function compareFiles(testCase: Case, actual: readonly PlannedFile[], types: PlanTypes): string[] {
  const expected = testCase.plan as readonly CasePlanEntry[]
  const problems: string[] = []
  const rest = new Map<string, PlannedFile[]>()
  for (const file of actual) rest.set(fileKey(file), [...(rest.get(fileKey(file)) ?? []), file])
  for (const entry of expected) {
    const file = rest.get(fileKey(entry))?.shift()
    if (file === undefined) problems.push(`plan lacks ${fileKey(entry)}`)
    else problems.push(...compareFile(testCase, entry, file, types).map((p) => `${short(entry.path)}: ${p}`))
  }
  for (const files of rest.values()) for (const file of files) problems.push(`plan has ${fileKey(file)}`)
  return problems
}

function compareFile(testCase: Case, entry: CasePlanEntry, file: PlannedFile, types: PlanTypes): string[] {
  const problems: string[] = []
  const field = (name: string, expected: string, actual: string) => {
    if (expected !== actual) problems.push(`${name} is ${actual}, not ${expected}`)
  }
  field('format', entry.format.toLowerCase(), file.format.toLowerCase())
  field('spec id', whole(entry.specId), whole(file.specId))
  field('partition', partitionText(entry.partition, types), partitionText(file.partition, types))
  field('record count', whole(entry.recordCount), whole(file.recordCount))
  field('file size', whole(entry.fileSizeInBytes), whole(file.fileSizeInBytes))
  field('data sequence number', whole(entry.dataSequenceNumber), whole(file.dataSequenceNumber))
  field('file sequence number', whole(entry.fileSequenceNumber), whole(file.fileSequenceNumber))
  field('first row id', whole(entry.firstRowId), whole(file.firstRowId))
  if (testCase.scan.changelog) {
    field('commit snapshot id', String(entry.commitSnapshotId), String(file.commitSnapshotId))
  }
  problems.push(...compareDeletes(entry.deletes ?? [], file.deletes))
  const residual = compareResidual(testCase, entry.residual, file.residual, types.columns)
  if (residual !== undefined) problems.push(residual)
  return problems
}

const compared = new Map<string, string | undefined>()

function compareResidual(
  testCase: Case,
  expected: Json,
  actual: string,
  columns: readonly Column[],
): string | undefined {
  const caseSensitive = testCase.scan.caseSensitive !== false
  const key = `${testCase.metadata} ${caseSensitive} ${canonical(expected)} ${actual}`
  if (!compared.has(key)) compared.set(key, differentResidual(expected, actual, columns, caseSensitive))
  return compared.get(key)
}

function differentResidual(
  expected: Json,
  actual: string,
  columns: readonly Column[],
  caseSensitive: boolean,
): string | undefined {
  try {
    const why = difference(fromRest(expected), fromDsl(parseJson(actual)), columns, caseSensitive)
    return why === undefined ? undefined : `residual is ${actual}, not ${canonical(expected)}: ${why}`
  } catch (error) {
    return `residual ${actual}: ${(error as Error).message}`
  }
}

function deleteText(file: CaseDelete | PlannedDelete): string {
  const parts = [
    file.path,
    `content ${file.content.toLowerCase().replaceAll('_', '-')}`,
    `format ${file.format.toLowerCase()}`,
    `records ${whole(file.recordCount)}`,
    `size ${whole(file.fileSizeInBytes)}`,
    `spec ${file.specId}`,
    `seq ${whole(file.dataSequenceNumber)}`,
    `offset ${whole(file.contentOffset)}`,
    `length ${whole(file.contentSizeInBytes)}`,
    `of ${file.referencedDataFile ?? 'any'}`,
    `ids ${file.equalityIds === undefined ? 'none' : [...file.equalityIds].sort((a, b) => a - b).join(',')}`,
  ]
  return parts.join(' | ')
}

function compareDeletes(expected: readonly CaseDelete[], actual: readonly PlannedDelete[]): string[] {
  const [want, got] = [expected.map(deleteText), actual.map(deleteText)]
  const problems: string[] = []
  for (const text of want) {
    const at = got.indexOf(text)
    if (at < 0) problems.push(`lacks the delete ${text}`)
    else got.splice(at, 1)
  }
  for (const text of got) problems.push(`has the delete ${text}`)
  return problems
}

/** Partition values in single-value form; letter case of hex and zeros of fractions are spelling. */
function partitionText(partition: { readonly [field: string]: Json }, types: PlanTypes): string {
  const plain = (name: string, value: Json): Json => {
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : value
    if (typeof value !== 'string') return value
    if (types.hexPartitions.has(name)) return value.toLowerCase()
    return value.replace(/^(\S*\d\d:\d\d:\d\d\.\d*?)0+(?=$|[+Z])/, '$1').replace(/(:\d\d)\.(?=$|[+Z])/, '$1')
  }
  return canonical(Object.fromEntries(Object.entries(partition).map(([name, value]) => [name, plain(name, value)])))
}

function compareMetrics(testCase: Case, plan: EnginePlan): string[] {
  if (testCase.metrics === undefined) return []
  if (plan.metrics === undefined) return ['no report']
  const problems: string[] = []
  for (const [name, expected] of Object.entries(testCase.metrics)) {
    const actual = plan.metrics[name]
    if (actual === undefined || BigInt(actual) !== BigInt(expected)) {
      problems.push(`${name} is ${actual}, not ${expected}`)
    }
  }
  return problems
}
