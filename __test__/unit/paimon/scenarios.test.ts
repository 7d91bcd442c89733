import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import * as lakefold from '../../../ts/index.js'
import * as paimon from '../../../ts/paimon/index.js'
import { loadPaimonCases } from '../../conformance/paimon/case.js'
import { LakefoldPaimonEngine } from '../../conformance/paimon/lakefold-engine.js'
import { runPaimonCase } from '../../conformance/paimon/run-case.js'
import { FIXTURES } from './fixtures.js'

const folder = join(import.meta.dirname, '../../fixtures/paimon-scenarios')
const engine = new LakefoldPaimonEngine({ lakefold, paimon })
const cases = loadPaimonCases(folder)
// Its files lie where its manifests say only for who says so.
const elsewhere = cases.filter(({ table }) => table === 'fx.external_paths')

describe('tables of known stories, see docs/paimon-scenarios.md', () => {
  it.each(cases.filter((one) => !elsewhere.includes(one)).map((one) => [one.id, one] as const))(
    '%s',
    async (_, one) => {
      expect(await runPaimonCase(one, { folder, engine, workers: [1, 3] })).toEqual([])
    },
  )

  it.each(elsewhere.map((one) => [one.id, one] as const))('%s', async (_, one) => {
    const moved = { 'file:/tmp/lakefold-external': join(folder, 'external') }
    const openTable = ((location: string) =>
      lakefold.openTable(location, { format: 'paimon', rewriteLocations: moved })) as never
    const there = new LakefoldPaimonEngine({ lakefold: { ...lakefold, openTable }, paimon })
    expect(await runPaimonCase(one, { folder, engine: there, workers: [1] })).toEqual([])
  })
})

describe('instants are the same wherever they are read', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  const all = loadPaimonCases(FIXTURES).filter(({ id }) => /^types_(parquet|orc|avro)__.*(all|ts|ltz)/.test(id))
  it.each(all.map((one) => [one.id, one] as const))('%s', async (_, one) => {
    process.env.TZ = 'America/St_Johns'
    expect(new Date(0).getTimezoneOffset()).toBe(210)
    expect(await runPaimonCase(one, { folder: FIXTURES, engine, workers: [1] })).toEqual([])
  })
})
