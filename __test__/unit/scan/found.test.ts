import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as lakefold from '../../../ts/index.js'
import { loadCases } from '../../conformance/case.js'
import { LakefoldEngine } from '../../conformance/lakefold-engine.js'
import { runCase } from '../../conformance/run-case.js'

const folder = join(import.meta.dirname, '../../fixtures/iceberg-found')
const engine = new LakefoldEngine(lakefold)

describe('tables that random comparison with the reference found us wrong about', () => {
  it.each(loadCases(folder).map((one) => [one.id, one] as const))('%s', async (_, one) => {
    expect(await runCase(one, { folder, engine, workers: [1, 3] })).toEqual([])
  })
})
