import { join } from 'node:path'

import { LakefoldError } from '../../../ts/base/errors.js'
import type { Case, CaseDelete, CasePlanEntry, CaseScan } from '../../conformance/case.js'
import { readRows } from '../../conformance/compare-rows.js'
import type { Engine, EnginePlan, EngineScan, PlannedDelete, PlannedFile, Range } from '../../conformance/engine.js'
import { canonical, type Json } from '../../conformance/json.js'
import { readMetadata, schemaOf } from '../../conformance/schema.js'

/** What a made-up reader answers to one case; a test spoils one part of it. */
export interface Answer {
  plan: {
    files: PlannedFile[]
    splits?: Range[]
    tasks?: Range[][]
    metrics?: { [name: string]: number | bigint | undefined }
  }
  rows: string[]
  /** Rows for more than one worker, where they differ. */
  parallelRows?: string[]
  count: bigint
  error?: unknown
}

/** Answers each case with what the case itself expects, then with what `spoil` makes of that. */
export class FakeEngine implements Engine {
  constructor(
    readonly folder: string,
    readonly cases: readonly Case[],
    readonly spoil: (answer: Answer, testCase: Case) => void = () => undefined,
  ) {}

  async open(metadata: string) {
    return { scan: (scan: CaseScan): EngineScan => new FakeScan(this, metadata, scan) }
  }

  find(metadata: string, scan: CaseScan): Case | undefined {
    return this.cases.find((c) => join(this.folder, c.metadata) === metadata && key(c.scan) === key(scan))
  }
}

const key = (scan: CaseScan) => canonical(scan)

class FakeScan implements EngineScan {
  constructor(
    readonly engine: FakeEngine,
    readonly metadata: string,
    readonly asked: CaseScan,
  ) {}

  #answer(): Answer {
    const found = this.engine.find(this.metadata, this.asked)
    if (found === undefined) throw new Error(`no answer for ${canonical(this.asked)}`)
    const answer = perfect(this.engine.folder, found)
    this.engine.spoil(answer, found)
    if (answer.error !== undefined) throw answer.error
    return answer
  }

  async plan(): Promise<EnginePlan> {
    return this.#answer().plan
  }
  async rows(options: { workers: number }): Promise<string[]> {
    const answer = this.#answer()
    return options.workers > 1 ? (answer.parallelRows ?? answer.rows) : answer.rows
  }
  async count(): Promise<bigint> {
    return this.#answer().count
  }
}

/** What the case expects, as a reader would give it. */
export function perfect(folder: string, testCase: Case): Answer {
  const rowsFile = testCase.rowsFile ?? testCase.evaluated?.rowsFile
  const columns = schemaOf(readMetadata(join(folder, testCase.metadata)), testCase.scan)
  const rows =
    rowsFile === undefined
      ? Array<string>(testCase.count ?? 0).fill('{}')
      : readRows(join(folder, 'cases', rowsFile), columns)
  const failed = testCase.error !== undefined && testCase.evaluated === undefined
  return {
    plan: {
      files: (testCase.plan ?? []).map(planned),
      ...(testCase.splits && { splits: testCase.splits.map(range) }),
      ...(testCase.tasks && { tasks: testCase.tasks.map((group) => group.map(range)) }),
      ...(testCase.metrics && { metrics: { ...testCase.metrics } }),
    },
    rows,
    count: BigInt(testCase.count ?? testCase.evaluated?.count ?? rows.length),
    ...(failed && { error: new LakefoldError(codeOf(testCase.error?.message ?? ''), 'as the case asks') }),
  }
}

function codeOf(message: string) {
  if (message.includes('input stream')) return 'FILE_NOT_FOUND' as const
  if (message.includes('Cannot find field')) return 'UNKNOWN_COLUMN' as const
  if (message.includes('Cannot find ref')) return 'UNKNOWN_REF' as const
  if (/[Ss]napshot/.test(message)) return 'UNKNOWN_SNAPSHOT' as const
  return 'INVALID_LITERAL' as const
}

const big = (value: number | bigint | null | undefined) =>
  value === null || value === undefined ? undefined : BigInt(value)
const range = (r: { path: string; start: number | bigint; length: number | bigint }): Range => ({
  path: r.path,
  start: BigInt(r.start),
  length: BigInt(r.length),
})

function planned(entry: CasePlanEntry): PlannedFile {
  return {
    ...range(entry),
    operation: entry.operation,
    changeOrdinal: entry.changeOrdinal,
    commitSnapshotId: entry.commitSnapshotId === undefined ? undefined : BigInt(entry.commitSnapshotId),
    format: entry.format.toLowerCase(),
    specId: entry.specId,
    partition: entry.partition,
    recordCount: BigInt(entry.recordCount),
    fileSizeInBytes: BigInt(entry.fileSizeInBytes),
    dataSequenceNumber: big(entry.dataSequenceNumber),
    fileSequenceNumber: big(entry.fileSequenceNumber),
    firstRowId: big(entry.firstRowId),
    deletes: (entry.deletes ?? []).map(plannedDelete),
    residual: dsl(entry.residual),
  }
}

function plannedDelete(file: CaseDelete): PlannedDelete {
  return {
    path: file.path,
    content: file.content,
    format: file.format,
    recordCount: BigInt(file.recordCount),
    fileSizeInBytes: BigInt(file.fileSizeInBytes),
    specId: file.specId,
    dataSequenceNumber: BigInt(file.dataSequenceNumber),
    contentOffset: big(file.contentOffset),
    contentSizeInBytes: big(file.contentSizeInBytes),
    referencedDataFile: file.referencedDataFile,
    equalityIds: file.equalityIds,
  }
}

const OPERATORS: { [name: string]: string } = {
  eq: '=',
  'not-eq': '!=',
  lt: '<',
  'lt-eq': '<=',
  gt: '>',
  'gt-eq': '>=',
}

/** REST expression JSON to the text of the array DSL. */
export function dsl(json: Json): string {
  if (typeof json === 'boolean') return `["${json}"]`
  const node = json as { [key: string]: Json }
  const type = String(node.type)
  if (type === 'not') return `["not",${dsl(node.child as Json)}]`
  if (type === 'and' || type === 'or') return `["${type}",${dsl(node.left as Json)},${dsl(node.right as Json)}]`
  const term = node.term as string | { [key: string]: Json }
  const print = (value: Json): string =>
    Array.isArray(value)
      ? `[${value.map(print).join(',')}]`
      : typeof value === 'bigint'
        ? `${value}`
        : Object.is(value, -0)
          ? '-0.0'
          : JSON.stringify(value)
  const named = typeof term === 'string' ? print(term) : print([term.transform as string, term.term as string])
  const literal =
    'value' in node ? `,${print(node.value as Json)}` : 'values' in node ? `,${print(node.values as Json)}` : ''
  return `["${OPERATORS[type] ?? type}",${named}${literal}]`
}
