/** Something to run, with its id in reports. */
export interface Job {
  readonly id: string
  /** The problems found, none if it passes. */
  readonly run: () => Promise<readonly string[]>
}

export interface JobOptions {
  /** Run these ids alone; one that no job has is an error. */
  readonly only?: readonly string[]
  /** Jobs that run side by side. */
  readonly concurrency?: number
}

export interface CaseResult {
  readonly id: string
  readonly problems: readonly string[]
}

/** Runs every job; none is skipped. Results are in the jobs' order. */
export async function runJobs(all: readonly Job[], options: JobOptions): Promise<CaseResult[]> {
  const { only } = options
  const unknown = only?.find((id) => !all.some((job) => job.id === id))
  if (unknown !== undefined) throw new Error(`there is no case with the id ${unknown}`)
  const jobs = all.filter((job) => only === undefined || only.includes(job.id))
  const results: CaseResult[] = jobs.map(({ id }) => ({ id, problems: ['not run'] }))
  let next = 0
  const lane = async () => {
    for (let at = next++; at < jobs.length; at = next++) {
      const job = jobs[at] as Job
      results[at] = { id: job.id, problems: await job.run().catch((error) => [`the runner failed: ${error}`]) }
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 1 }, lane))
  return results
}
