import { type Case, loadCases, loadDamaged } from './case.js'
import { type CaseResult, type Job, type JobOptions, runJobs } from './jobs.js'
import { type RunOptions, runCase, runDamaged } from './run-case.js'

export type RunAllOptions = RunOptions & JobOptions

/** Runs every case of an Iceberg folder and every damaged input; none is skipped. Results are in the folder's order. */
export async function runAll(options: RunAllOptions): Promise<CaseResult[]> {
  return runJobs(icebergJobs(options), options)
}

function icebergJobs(options: RunOptions): Job[] {
  const cases = loadCases(options.folder)
  const whole = (metadata: string): Case | undefined => {
    const path = metadata.replace(/^damaged\/[^/]+\//, 'tables/')
    return cases.find((c) => c.metadata === path && Object.keys(c.scan).length === 0)
  }
  return [
    ...cases.map((c) => ({ id: c.id, run: () => runCase(c, options) })),
    ...loadDamaged(options.folder).map((d) => ({
      id: `damaged/${d.case}`,
      run: () => runDamaged(d, whole(d.metadata), options),
    })),
  ]
}
