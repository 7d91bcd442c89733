import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { compareRows } from '../compare-rows.js'
import { names, type ReaderError, readerError } from '../error-kinds.js'
import { canonical } from '../json.js'
import { describe } from '../run-case.js'
import type { Column } from '../schema.js'
import type { PaimonDamaged } from './case.js'
import type { PaimonEngineTable } from './engine.js'
import { fieldTypes } from './field-types.js'
import type { PaimonRunOptions } from './run-case.js'

/** What an error must name beside, or in place of, the damaged file, where the list asks for it. */
const NAMED: Readonly<Record<string, string>> = {
  snapshot_version_future: '99',
  snapshot_missing_field: 'baseManifestList',
  snapshot_bad_commit_kind: 'SIDEWAYS',
  missing_schema: 'missing_schema',
  missing_old_schema: 'schema-0',
  schema_version_future: '99',
  unknown_type: 'HYPERCUBE',
  unknown_merge_engine: 'quantum',
  unknown_bucket_function: 'astrology',
  bad_bucket_option: 'bucket',
  unknown_bucket_key: 'ghost',
  not_a_table: 'not_a_table',
}

/** Where the stream of a damaged table begins, which only the list's words say. */
const STREAM_START: Readonly<Record<string, string>> = { missing_changelog: '1' }

/** Runs one damaged table: it must end as the list says. */
export async function runPaimonDamaged(listed: PaimonDamaged, options: PaimonRunOptions): Promise<string[]> {
  const start = STREAM_START[listed.id]
  const scan = start === undefined ? listed.scan : { ...listed.scan, options: { 'scan.snapshot-id': start } }
  const damaged = { ...listed, scan }
  const folder = join(options.folder, 'damaged', damaged.dir)
  const base = baseOf(folder)
  const fields = fieldTypes(base, { scan: damaged.scan } as never)
  const { mustReport } = damaged
  const mayRead = /^succeed|, or read|, or ignore|or read it|^fail .*by listing/.test(mustReport)
  const mayFail = mustReport.startsWith('fail') || / or fail/.test(mustReport)
  for (const workers of options.workers) {
    let stage = 'opening'
    try {
      const table = await options.engine.open(folder, undefined, damaged.scan)
      const planned = table.scan(fields)
      stage = 'planning'
      if (!damaged.scan.streaming) await planned.plan()
      stage = 'reading'
      const rows = await rowsOf(table, fields, damaged, workers)
      if (!mayRead) return [`${rows.length} rows, where the reader must ${mustReport}`]
      const problems = await compareWithBase(damaged, base, fields, rows, options)
      if (problems.length > 0) return problems
    } catch (error) {
      const ours = readerError(error)
      if (ours === undefined) return [`not a LakefoldError: ${describe(error)}`]
      if (!mayFail) return [describe(error)]
      const problem = errorProblem(damaged, folder, base, ours, stage)
      if (problem !== undefined) return [problem]
    }
  }
  return []
}

async function rowsOf(table: PaimonEngineTable, columns: readonly Column[], { scan }: PaimonDamaged, workers: number) {
  if (scan.streaming) {
    const plans = await table.scan(columns).stream({ workers, columns })
    return plans.flatMap(({ rows }) => rows.map(canonical))
  }
  return (await table.scan(columns).rows({ workers, columns, kinds: false })).rows.map(canonical)
}

/** Rows in spite of a damage must be those of the whole table, in the number that the reference reads. */
async function compareWithBase(
  damaged: PaimonDamaged,
  base: string,
  columns: readonly Column[],
  rows: readonly string[],
  options: PaimonRunOptions,
): Promise<string[]> {
  const { count } = damaged.reference
  if (count !== undefined && rows.length !== count) return [`${rows.length} rows, not ${count}`]
  if (count === 0) return []
  const whole = await options.engine.open(base, undefined, damaged.scan)
  return compareRows(await rowsOf(whole, columns, damaged, 1), rows)
}

function errorProblem(
  damaged: PaimonDamaged,
  folder: string,
  base: string,
  error: ReaderError,
  stage: string,
): string | undefined {
  const { mustReport, id } = damaged
  if (error.code === 'INTERNAL') return `an internal error: ${error.message}`
  if (/on reading/.test(mustReport) && stage !== 'reading') return `fails on ${stage}: ${error.message}`
  if (/on planning/.test(mustReport) && stage === 'reading') return `fails on reading: ${error.message}`
  const named = NAMED[id]
  const accepted = named === undefined ? differing(base, folder) : [named]
  if (accepted.some((name) => names(error, name))) return undefined
  return `the error does not name ${accepted.join(' or ')}: ${error.code}: ${error.message}`
}

/** The undamaged table that shares the most files with a damaged one. */
function baseOf(folder: string): string {
  const parent = join(folder, '..')
  const own = filesOf(folder)
  const shared = (base: string) => filesOf(join(parent, base)).filter((file) => own.includes(file)).length
  const bases = readdirSync(parent).filter((name) => name.startsWith('base_'))
  const best = bases.sort((a, b) => shared(b) - shared(a))[0]
  if (best === undefined) throw new Error(`no undamaged table beside ${folder}`)
  return join(parent, best)
}

function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
}

/** The names of the files that the damage changed or took away. */
function differing(base: string, folder: string): string[] {
  return filesOf(base)
    .filter((file) => {
      const other = join(folder, file)
      return !existsSync(other) || !readFileSync(other).equals(readFileSync(join(base, file)))
    })
    .map((file) => basename(file))
}
