import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Job } from '../jobs.js'
import { hasBucketVectors, runBucketVectors } from './bucket-vectors.js'
import { loadPaimonCases, loadPaimonDamaged } from './case.js'
import { runPaimonDamaged } from './damaged.js'
import { type PaimonRunOptions, runPaimonCase } from './run-case.js'

/** Whether a folder holds Paimon cases: theirs have a warehouse. */
export function isPaimonFolder(folder: string): boolean {
  return existsSync(join(folder, 'warehouse'))
}

/** A job for every case of a Paimon folder, every damaged table, and the bucket vectors; none is left out. */
export function paimonJobs(options: PaimonRunOptions): Job[] {
  const { folder, engine } = options
  const jobs: Job[] = [
    ...loadPaimonCases(folder).map((c) => ({ id: c.id, run: () => runPaimonCase(c, options) })),
    ...loadPaimonDamaged(folder).map((d) => ({ id: `damaged/${d.id}`, run: () => runPaimonDamaged(d, options) })),
  ]
  if (hasBucketVectors(folder)) jobs.push({ id: 'bucket-vectors', run: () => runBucketVectors(folder, engine) })
  return jobs
}
