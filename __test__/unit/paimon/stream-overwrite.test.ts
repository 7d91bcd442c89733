import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ScanContextBuilder, TableRead, TableScan } from '../../../ts/paimon/index.js'

const FIXTURES = join(import.meta.dirname, '../../fixtures/paimon-overwrite')
const KINDS = ['+I', '-U', '+U', '-D']

type Row = readonly [string, number, number, string]
const streams = JSON.parse(readFileSync(join(FIXTURES, 'streams.json'), 'utf8')) as {
  readonly [table: string]: { readonly [option: string]: readonly (readonly Row[])[] }
}

function streamOf(table: string, option: string): Promise<TableScan> {
  const builder = new ScanContextBuilder(join(FIXTURES, table))
    .withStreamingMode(true)
    .addOption('scan.snapshot-id', '1')
  if (option !== 'none') builder.addOption(option, 'true')
  return TableScan.create(builder.finish())
}

async function plansOf(scan: TableScan, rowKinds: boolean): Promise<Row[][]> {
  const read = await TableRead.create(scan, { rowKinds })
  const plans: Row[][] = []
  for (;;) {
    const plan = await scan.createPlan()
    if (plan.splits.length === 0) return plans
    const rows: Row[] = []
    for await (const batch of read.toBatchReader(plan)) {
      for (const { _VALUE_KIND: kind, p, id, v } of batch) rows.push([KINDS[kind ?? 0] as string, p, id, v])
    }
    plans.push(rows)
  }
}

const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).sort()

describe.each(Object.keys(streams))('a stream over the OVERWRITEs of %s', (table) => {
  const options = streams[table] as (typeof streams)[string]

  it.each(Object.keys(options))('gives what the reference gives: %s', async (option) => {
    const wanted = options[option] as readonly (readonly Row[])[]
    const plans = await plansOf(await streamOf(table, option), true)
    expect(plans.map(sorted)).toEqual(wanted.map(sorted))
    // Without kinds nothing is taken back.
    const added = wanted.map((rows) => rows.filter(([kind]) => kind === '+I' || kind === '+U'))
    const bare = await plansOf(await streamOf(table, option), false)
    expect(bare.map((rows) => sorted(rows.map(([, ...row]) => ['', ...row])))).toEqual(
      added.map((rows) => sorted(rows.map(([, ...row]) => ['', ...row]))),
    )
  })
})

it('is refused by name on a table without a key, as by the reference', async () => {
  await expect(streamOf('append_overwrite', 'streaming-read-overwrite')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    context: { option: 'streaming-read-overwrite' },
  })
})
