import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { compareRows } from '../compare-rows.js'
import { readerError } from '../error-kinds.js'
import { canonical } from '../json.js'
import { describe } from '../run-case.js'
import type { Column } from '../schema.js'
import { acrossWorkers } from '../workers.js'
import type { PaimonCase } from './case.js'
import { comparePlan, type PlanRule } from './compare-plan.js'
import type { EngineRows, PaimonEngine, PaimonEngineTable } from './engine.js'
import { compareError } from './error-kinds.js'
import { fieldTypes } from './field-types.js'
import { anyRowsOf, type Row, readCaseRows, rowTexts } from './rows.js'
import { comparableSystemRow } from './system.js'
import { columnsOf } from './type.js'

export interface PaimonRunOptions {
  readonly folder: string
  readonly engine: PaimonEngine
  readonly workers: readonly number[]
}

/** Runs one case; the problems found, none if it passes. */
export async function runPaimonCase(testCase: PaimonCase, options: PaimonRunOptions): Promise<string[]> {
  const run = new Run(testCase, options)
  try {
    switch (testCase.kind) {
      case 'scan':
      case 'incremental':
      case 'format':
        return [...(await run.plan()), ...(await run.rows())]
      case 'stream':
        return await run.stream()
      case 'system':
        return await run.system()
      case 'partitions':
        return await run.partitions()
      case 'error':
        return await run.error()
      default:
        return [`a kind of case that the runner does not know: ${testCase.kind}`]
    }
  } catch (error) {
    return [`failed: ${describe(error)}`]
  }
}

class Run {
  readonly #case: PaimonCase
  readonly #options: PaimonRunOptions
  readonly #columns: readonly Column[]

  constructor(testCase: PaimonCase, options: PaimonRunOptions) {
    this.#case = testCase
    this.#options = options
    this.#columns = columnsOf(testCase.columns ?? [])
  }

  get #name(): string {
    return this.#case.table.slice(this.#case.table.indexOf('.') + 1)
  }

  get #location(): string {
    return join(this.#options.folder, 'warehouse', `${this.#case.table.split('.')[0]}.db`, this.#name)
  }

  #open(): Promise<PaimonEngineTable> {
    const { engine, folder } = this.#options
    const schemaFile = join(folder, 'format-schemas', `${this.#name}.json`)
    return engine.open(this.#location, existsSync(schemaFile) ? schemaFile : undefined, this.#case.scan)
  }

  get #rule(): PlanRule {
    return { check: this.#case.planCheck, predicate: this.#case.scan.predicate }
  }

  async #scan() {
    return (await this.#open()).scan(fieldTypes(this.#location, this.#case))
  }

  #expected(file: string | undefined): Row[] {
    if (file === undefined) throw new Error('the case names no rows')
    return readCaseRows(join(this.#options.folder, 'cases', file), this.#columns)
  }

  #texts(rows: readonly Row[]): string[] {
    return rowTexts(rows, this.#case.unorderedArrays)
  }

  /** What is wrong with the names of the columns. */
  #named({ columns }: EngineRows): string[] {
    const wanted = this.#columns.map((column) => column.name)
    // The cases list a selection in the table's order; a reader may give it as it was asked for.
    const order = (names: readonly string[]) => canonical(this.#case.scan.select ? [...names].sort() : names)
    return order(columns) === order(wanted) ? [] : [`columns ${columns.join(', ')}, not ${wanted.join(', ')}`]
  }

  async plan(): Promise<string[]> {
    const { plan } = this.#case
    return plan === undefined ? [] : comparePlan(plan, await (await this.#scan()).plan(), this.#rule)
  }

  /** The rows with each number of workers, in one order, and their count. */
  async rows(): Promise<string[]> {
    const { rowsFile, count, altRowsFile, altCount, rowKinds, scan: asked } = this.#case
    const scan = await this.#scan()
    const problems: string[] = []
    const counts = [count, ...(altCount === undefined ? [] : [altCount])]
    // Kinds are counted too where they are asked for, so the count is that of the live rows alone.
    const counted = rowKinds ? undefined : await scan.count(this.#options.workers[0] ?? 1)
    if (counted !== undefined && !counts.some((one) => BigInt(one ?? -1) === counted)) {
      problems.push(`count() is ${counted}, not ${counts.join(' or ')}`)
    }
    const expected = this.#texts(this.#expected(rowsFile))
    const other = altRowsFile === undefined ? undefined : this.#texts(this.#expected(altRowsFile))
    const check = (rows: string[]) => {
      if (asked.limit !== undefined) return anyRowsOf(expected, rows, count ?? -1)
      const found = compareRows(expected, rows)
      if (found.length === 0 || other === undefined) return found
      return compareRows(other, rows).length === 0 ? [] : found
    }
    const read = async (workers: number) => {
      const rows = await scan.rows({ workers, columns: this.#columns, kinds: rowKinds === true })
      problems.push(...this.#named(rows))
      return this.#texts(rows.rows)
    }
    problems.push(...(await acrossWorkers(this.#options.workers, read, check)))
    return problems
  }

  async stream(): Promise<string[]> {
    const { plans = [], rowsFile } = this.#case
    const expected = this.#texts(this.#expected(rowsFile))
    const problems: string[] = []
    const read = async (workers: number) => {
      const found = await (await this.#scan()).stream({ workers, columns: this.#columns })
      if (found.length !== plans.length) {
        const ids = found.map(({ plan }) => plan.snapshotId)
        problems.push(`${found.length} plans (of snapshots ${ids.join(', ')}), not ${plans.length}`)
      }
      for (const [i, plan] of plans.entries()) {
        const one = found[i]
        if (one === undefined) continue
        problems.push(...comparePlan(plan, one.plan, this.#rule).map((text) => `plan ${i}: ${text}`))
        problems.push(...this.#named(one))
      }
      return found.flatMap(({ rows }, i) => this.#texts(rows.map((row) => ({ ...row, _plan: i }))))
    }
    problems.push(...(await acrossWorkers(this.#options.workers, read, (rows) => compareRows(expected, rows))))
    return [...new Set(problems)]
  }

  async system(): Promise<string[]> {
    const { rowsFile, scan } = this.#case
    const name = scan.systemTable ?? ''
    const texts = (rows: readonly Row[]) => this.#texts(rows.map((row) => comparableSystemRow(name, row)))
    const expected = texts(this.#expected(rowsFile))
    const problems: string[] = []
    const read = async (workers: number) => {
      const rows = await (await this.#open()).system(this.#columns, workers)
      problems.push(...this.#named(rows))
      return texts(rows.rows)
    }
    problems.push(...(await acrossWorkers(this.#options.workers, read, (rows) => compareRows(expected, rows))))
    return problems
  }

  async partitions(): Promise<string[]> {
    const { partitions = [], count } = this.#case
    const found = await (await this.#open()).listPartitions()
    // Of tables with manifests the cases tell sizes too, which a list of partitions has not.
    const wanted = partitions.map((one) => canonical(one.partition ?? one))
    const problems = compareRows(wanted, found.map(canonical))
    if (found.length !== count) problems.push(`${found.length} partitions, not ${count}`)
    return problems
  }

  async error(): Promise<string[]> {
    const wanted = this.#case.error
    if (wanted === undefined) throw new Error('the case names no error')
    for (const workers of this.#options.workers) {
      try {
        const scan = await this.#scan()
        await scan.plan()
        await scan.rows({ workers, columns: this.#columns, kinds: false })
      } catch (error) {
        const problem = compareError(wanted, readerError(error), error)
        if (problem === undefined) continue
        return [problem]
      }
      return [`no error, where the reference says: ${wanted.message}`]
    }
    return []
  }
}
