import { type Case, loadCases, loadDamaged } from './case.js'
import { type RunOptions, runCase, runDamaged } from './run-case.js'

export interface RunAllOptions extends RunOptions {
  /** Run these ids alone. */
  readonly only?: readonly string[]
  /** Cases that run side by side. */
  readonly concurrency?: number
}

export interface CaseResult {
  readonly id: string
  readonly problems: readonly string[]
}

/** Runs every case of a folder and every damaged input; none is skipped. Results are in the folder's order. */
export async function runAll(options: RunAllOptions): Promise<CaseResult[]> {
  const cases = loadCases(options.folder)
  const whole = (metadata: string): Case | undefined => {
    const path = metadata.replace(/^damaged\/[^/]+\//, 'tables/')
    return cases.find((c) => c.metadata === path && Object.keys(c.scan).length === 0)
  }
  const jobs = [
    ...cases.map((c) => ({ id: c.id, run: () => runCase(c, options) })),
    ...loadDamaged(options.folder).map((d) => ({
      id: `damaged/${d.case}`,
      run: () => runDamaged(d, whole(d.metadata), options),
    })),
  ].filter((job) => options.only === undefined || options.only.includes(job.id))

  const results: CaseResult[] = jobs.map(({ id }) => ({ id, problems: ['not run'] }))
  let next = 0
  const lane = async () => {
    for (let at = next++; at < jobs.length; at = next++) {
      const job = jobs[at] as (typeof jobs)[number]
      results[at] = { id: job.id, problems: await job.run().catch((error) => [`the runner failed: ${error}`]) }
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 1 }, lane))
  return results
}
