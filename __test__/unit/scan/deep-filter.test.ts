import { describe, expect, it } from 'vitest'
import type { Filter } from '../../../ts/expr/dsl.js'
import { col } from '../../../ts/expr/dsl.js'
import { TableScan } from '../../../ts/iceberg/scan/table-scan.js'
import { io, metadataOf } from '../plan/cases.js'

const scan = TableScan.of(metadataOf('tables/row_groups/metadata/v6.metadata.json'), io)

async function ids(filter?: Filter): Promise<number[]> {
  const batches = await (filter === undefined ? scan : scan.filter(filter)).select('id').toBatches()
  return batches.flatMap((batch) => [...batch.getChild('id')!].map(Number))
}

describe('filters of many levels', () => {
  // One level below what planning takes.
  it.each([2, 60, 70, 250, 990])('%i of and and or in turn read what they say', async (levels) => {
    let filter: Filter = col('id').gt(5)
    let holds = (id: number) => id > 5
    for (let level = 0; level < levels; level++) {
      const inner = holds
      if (level % 2 === 0) {
        filter = filter.or(col('id').eq(level))
        holds = (id) => inner(id) || id === level
      } else {
        filter = filter.and(col('id').notEq(3 * level))
        holds = (id) => inner(id) && id !== 3 * level
      }
    }
    const all = await ids()
    const wanted = all.filter((id) => holds(id))
    expect(wanted.length).toBeGreaterThan(10)
    expect(wanted.length).toBeLessThan(all.length)
    expect(await ids(filter)).toEqual(wanted)
  })
})
