import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RecordBatch, tableFromIPC } from 'apache-arrow'
import { afterAll, describe, expect, it } from 'vitest'

import { openTable } from '../../../ts/index.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { casesOf, FIXTURES } from '../plan/cases.js'
import { taskOf, workFolder } from '../reader/tasks.js'

const folder = workFolder()
afterAll(() => folder.remove())

const idsOf = (batches: readonly RecordBatch[]) => batches.flatMap((batch) => [...batch.getChild('id')!].map(String))

describe.each(['dv_v3', 'posdel_unpart', 'eqdel_basic', 'mixed_deletes'])('T10: what leaves %s', (name) => {
  const whole = casesOf(name).find(({ scan }) => Object.keys(scan).length === 0)!
  const wanted = readFileSync(join(FIXTURES, 'cases/rows', `${whole.id}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => String(JSON.parse(line).id))
    .sort()
  const open = async () => {
    const table = await openTable(join(FIXTURES, whole.metadata), {
      rewriteLocations: { 'file:/lake/iceberg': join(FIXTURES, 'tables') },
    })
    return table.scan().select('id').toBatchReader({ numWorkers: 2 })
  }

  it('as a Parquet file has no deleted row', async () => {
    const path = join(folder.path, `${name}.parquet`)
    const reader = await open()
    const { projection } = reader
    expect(await reader.writeParquet(path)).toBe(wanted.length)
    const written = await openReader({ tasks: [taskOf(path, projection)], projection })
    expect(idsOf(await written.toBatches()).sort()).toEqual(wanted)
  })

  it('as an IPC stream has no deleted row', async () => {
    expect(idsOf(tableFromIPC(await (await open()).toIPC()).batches).sort()).toEqual(wanted)
  })
})
