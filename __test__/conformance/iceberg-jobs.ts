import { type Case, loadCases, loadDamaged } from './case.js'
import type { Job } from './jobs.js'
import { type RunOptions, runCase, runDamaged } from './run-case.js'

/** A job for every case of an Iceberg folder and every damaged input. */
export function icebergJobs(options: RunOptions): Job[] {
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
