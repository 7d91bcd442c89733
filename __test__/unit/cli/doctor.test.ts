import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examine, type Findings, problemOf } from '../../../ts/cli/doctor/examine.js'
import { icebergSubject } from '../../../ts/cli/doctor/iceberg-subject.js'
import { paimonSubject } from '../../../ts/cli/doctor/paimon-subject.js'
import { IcebergTable, LocalFileIO, openTable } from '../../../ts/index.js'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** What `lakefold doctor --read` finds. */
async function diagnose(location: string, rewriteLocations: Record<string, string> = {}): Promise<Findings> {
  const io = new LocalFileIO({ rewriteLocations })
  try {
    const table = await openTable(location, { rewriteLocations })
    const subject =
      table instanceof IcebergTable ? await icebergSubject(table.scan(), io) : await paimonSubject(table.scan(), io)
    return await examine(subject, true, () => {})
  } catch (error) {
    return { problems: [problemOf(error)], rows: undefined }
  }
}

describe('of damaged Iceberg tables', () => {
  const folder = join(FIXTURES, 'iceberg')
  const cases: { case: string; metadata: string; mustReport: string; brokenFile?: string }[] = JSON.parse(
    readFileSync(join(folder, 'damaged/cases.json'), 'utf8'),
  )
  const lake = (name: string) => ({ 'file:/lake/iceberg': join(folder, 'damaged', name) })

  it.each(cases.filter(({ mustReport }) => !mustReport.startsWith('no error')))('finds $case', async (one) => {
    const { problems } = await diagnose(join(folder, one.metadata), lake(one.case))
    expect(problems).not.toEqual([])
    // Each file is told once, also where several rows of deletes need it.
    expect(new Set(problems.map(({ file }) => file)).size).toBe(problems.length)
    const text = JSON.stringify(problems)
    if (one.brokenFile !== undefined) expect(text).toContain(one.brokenFile.split('/').at(-1))
  })

  it('lets an unknown transform be', async () => {
    const one = cases.find(({ mustReport }) => mustReport.startsWith('no error')) as (typeof cases)[number]
    const { problems } = await diagnose(join(folder, one.metadata), lake(one.case))
    expect(problems).toEqual([])
  })
})

describe('of damaged Paimon tables', () => {
  const folder = join(FIXTURES, 'paimon/damaged')
  const cases: { id: string; dir: string; scan: object; reference: { outcome: string } }[] = JSON.parse(
    readFileSync(join(folder, 'cases.json'), 'utf8'),
  )
  const whole = cases.filter(({ scan }) => Object.keys(scan).length === 0)

  it.each(whole.filter(({ reference }) => reference.outcome === 'error'))('finds $id', async ({ id, dir }) => {
    const { problems } = await diagnose(join(folder, dir))
    // The newest snapshot is found by listing the folder: the hint harms nothing.
    if (id === 'latest_hint_beyond') expect(problems.length).toBeLessThanOrEqual(1)
    else expect(problems).not.toEqual([])
  })

  it('counts the rows of a sound one', async () => {
    const { problems, rows } = await diagnose(join(FIXTURES, 'paimon/warehouse/fx.db/pk_dv'))
    const all = readFileSync(join(FIXTURES, 'paimon/cases/rows/pk_dv__001_all.ndjson'), 'utf8')
    expect({ problems, rows }).toEqual({ problems: [], rows: BigInt(all.trim().split('\n').length) })
  })
})
