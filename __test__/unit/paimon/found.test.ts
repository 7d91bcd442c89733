import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as lakefold from '../../../ts/index.js'
import * as paimon from '../../../ts/paimon/index.js'
import { loadPaimonCases } from '../../conformance/paimon/case.js'
import { LakefoldPaimonEngine } from '../../conformance/paimon/lakefold-engine.js'
import { runPaimonCase } from '../../conformance/paimon/run-case.js'

const folder = join(import.meta.dirname, '../../fixtures/paimon-found')
const engine = new LakefoldPaimonEngine({ lakefold, paimon })

describe('tables that random comparison with the reference found us wrong about', () => {
  it.each(loadPaimonCases(folder).map((one) => [one.id, one] as const))('%s', async (_, one) => {
    expect(await runPaimonCase(one, { folder, engine, workers: [1, 3] })).toEqual([])
  })
})
