import { describe, expect, it } from 'vitest'
import { type Job, runJobs } from '../../conformance/jobs.js'

const jobs: Job[] = ['a', 'b', 'c'].map((id) => ({ id, run: async () => [] }))

describe('the cases that a run is asked for', () => {
  it('are all of them, or those named', async () => {
    expect((await runJobs(jobs, {})).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect((await runJobs(jobs, { only: ['c', 'a'] })).map(({ id }) => id)).toEqual(['a', 'c'])
  })

  it('must be there', async () => {
    await expect(runJobs(jobs, { only: ['a', 'x'] })).rejects.toThrow('no case with the id x')
  })
})
