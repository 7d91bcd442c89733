import { join } from 'node:path'

import type { Case, CaseScan, DamagedCase } from './case.js'
import { comparePlan } from './compare-plan.js'
import { compareRows, readRows, replay } from './compare-rows.js'
import type { Engine, EngineTable } from './engine.js'
import { compareError, names, readerError } from './error-kinds.js'
import { type Column, hexPartitions, readMetadata, schemaOf } from './schema.js'
import { acrossWorkers } from './workers.js'

/** Where the locations of the tables' metadata begin. */
const WRITTEN_AT = 'file:/lake/iceberg'

export interface RunOptions {
  readonly folder: string
  readonly engine: Engine
  readonly workers: readonly number[]
}

/** Runs one case; the problems found, none if it passes. */
export async function runCase(testCase: Case, options: RunOptions): Promise<string[]> {
  const run = new Run(testCase, options)
  try {
    if (testCase.check === 'changelog-replay') return await run.replay()
    if (testCase.check === 'rows-or-error') return await run.rowsOrError()
    if (testCase.evaluated !== undefined) return await run.rows(testCase.evaluated.rowsFile, testCase.evaluated.count)
    if (testCase.error !== undefined) return await run.error()
    return [...(await run.plan()), ...(await run.rows(testCase.rowsFile, testCase.count))]
  } catch (error) {
    return [`failed: ${describe(error)}`]
  }
}

export const describe = (error: unknown) => {
  const ours = readerError(error)
  return ours === undefined ? String((error as Error)?.stack ?? error) : `${ours.code}: ${ours.message}`
}

class Run {
  readonly #case: Case
  readonly #options: RunOptions

  constructor(testCase: Case, options: RunOptions) {
    this.#case = testCase
    this.#options = options
  }

  #open(): Promise<EngineTable> {
    const { engine, folder } = this.#options
    return engine.open(join(folder, this.#case.metadata), WRITTEN_AT, join(folder, 'tables'))
  }

  #columns(scan: CaseScan = this.#case.scan): readonly Column[] {
    return schemaOf(readMetadata(join(this.#options.folder, this.#case.metadata)), scan)
  }

  async plan(): Promise<string[]> {
    const table = await this.#open()
    const metadata = readMetadata(join(this.#options.folder, this.#case.metadata))
    const types = { columns: schemaOf(metadata, this.#case.scan), hexPartitions: hexPartitions(metadata) }
    return comparePlan(this.#case, await table.scan(this.#case.scan).plan(), types)
  }

  /** The rows with each number of workers, in one order, and the count. */
  async rows(rowsFile: string | undefined, count: number | undefined): Promise<string[]> {
    if (rowsFile === undefined && count === undefined) return []
    const table = await this.#open()
    const scan = table.scan(this.#case.scan)
    const columns = this.#columns()
    const problems: string[] = []
    const counted = await scan.count(this.#options.workers[0] ?? 1)
    if (count !== undefined && counted !== BigInt(count)) problems.push(`count() is ${counted}, not ${count}`)
    const expected = rowsFile && readRows(join(this.#options.folder, 'cases', rowsFile), columns)
    const check = (rows: string[]) => {
      if (expected) return compareRows(expected, rows)
      return rows.length === count ? [] : [`${rows.length} rows, not ${count}`]
    }
    const read = (workers: number) => scan.rows({ workers, columns })
    problems.push(...(await acrossWorkers(this.#options.workers, read, check)))
    return problems
  }

  async error(): Promise<string[]> {
    for (const workers of this.#options.workers) {
      try {
        const scan = (await this.#open()).scan(this.#case.scan)
        await scan.plan()
        await scan.rows({ workers, columns: this.#columns() })
      } catch (error) {
        const problem = compareError(this.#case.error as NonNullable<Case['error']>, error)
        if (problem === undefined) continue
        return [problem]
      }
      return [`no error, where the reference says: ${this.#case.error?.message}`]
    }
    return []
  }

  /** The metadata is broken: rows and plan as they stand in the case, or an error that names the file. */
  async rowsOrError(): Promise<string[]> {
    try {
      return [...(await this.plan()), ...(await this.rows(this.#case.rowsFile, this.#case.count))]
    } catch (error) {
      const ours = readerError(error)
      if (ours === undefined) return [`not a LakefoldError: ${describe(error)}`]
      if (ours.code === 'INTERNAL' || !names(ours, `${this.#case.table}/metadata/`)) {
        return [`the error does not name the file: ${describe(error)}`]
      }
      return []
    }
  }

  /** Rows before, plus the changes, must give the rows after. */
  async replay(): Promise<string[]> {
    const { incremental, changelog, ...plain } = this.#case.scan
    const table = await this.#open()
    const columns = this.#columns()
    const rowsAt = async (snapshotId: string | undefined) => {
      if (snapshotId === undefined) return []
      return await table.scan({ ...plain, snapshotId }).rows({ workers: 1, columns })
    }
    const before = await rowsAt(incremental?.fromSnapshotIdExclusive)
    const after = await rowsAt(incremental?.toSnapshotId)
    const read = (workers: number) => table.scan(this.#case.scan).rows({ workers, columns })
    return acrossWorkers(this.#options.workers, read, (changes) => replay(before, changes, after))
  }
}

/** Runs one damaged input: a full scan must end in the error that the list asks for. */
export async function runDamaged(
  damaged: DamagedCase,
  whole: Case | undefined,
  options: RunOptions,
): Promise<string[]> {
  const parts = damaged.metadata.split('/')
  const table = parts[2] as string
  const folder = join(options.folder, 'damaged', damaged.case, table)
  const metadata = join(options.folder, damaged.metadata)
  const problems: string[] = []
  const harmless = damaged.mustReport.startsWith('no error needed')
  // The damaged metadata may not be readable; the undamaged table has the same columns.
  const columns = schemaOf(readMetadata(join(options.folder, 'tables', ...parts.slice(2))), {})
  for (const workers of options.workers) {
    try {
      const opened = await options.engine.open(metadata, `${WRITTEN_AT}/${table}`, folder)
      const rows = await opened.scan({}).rows({ workers, columns })
      if (!harmless) return [`${rows.length} rows, where the reader must report: ${damaged.mustReport}`]
      if (whole?.rowsFile === undefined) return ['the undamaged table has no full scan to compare with']
      problems.push(...compareRows(readRows(join(options.folder, 'cases', whole.rowsFile), columns), rows))
    } catch (error) {
      const ours = readerError(error)
      if (ours === undefined) return [`not a LakefoldError: ${describe(error)}`]
      const problem = harmless ? describe(error) : damagedProblem(damaged, ours)
      if (problem !== undefined) return [problem]
    }
  }
  return problems
}

function damagedProblem(damaged: DamagedCase, error: NonNullable<ReturnType<typeof readerError>>): string | undefined {
  const file = damaged.brokenFile.slice(damaged.brokenFile.lastIndexOf('/') + 1)
  const accepted = [file, ...(/naming the type/.test(damaged.mustReport) ? ['quaternion'] : [])]
  if (!accepted.some((name) => names(error, name))) {
    return `the error does not name ${accepted.join(' or ')}: ${error.code}: ${error.message}`
  }
  if (error.code === 'INTERNAL') return `an internal error: ${error.message}`
  if (damaged.mustReport.startsWith('not-found') && error.code !== 'FILE_NOT_FOUND') {
    return `error ${error.code}, not FILE_NOT_FOUND: ${error.message}`
  }
  return undefined
}
