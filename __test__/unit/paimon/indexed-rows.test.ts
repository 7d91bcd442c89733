import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { col, type FilterInput } from '../../../ts/index.js'
import { PaimonTable } from '../../../ts/paimon/index.js'
import type { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { SplitTasks } from '../../../ts/paimon/scan/split-tasks.js'

const folder = join(import.meta.dirname, '../../fixtures/paimon-scenarios/warehouse/fx.db')

interface Task {
  readonly 'row-ranges'?: readonly (readonly [number, number])[]
}

/** The ranges of the tasks of a filter; undefined for a file that is read as a whole. */
async function ranges(name: string, filter: FilterInput, options: Record<string, string> = {}) {
  const table = await PaimonTable.open(join(folder, name))
  let scan = table.scan().filter(filter)
  for (const [key, value] of Object.entries(options)) scan = scan.option(key, value)
  const planned = await scan.toTableScan()
  const { view, predicate } = planned.target as NonNullable<typeof planned.target>
  const tasks = new SplitTasks(view, { predicate, projection: [], keepDeletes: false, keepMerged: false })
  const documents: Task[] = []
  for (const split of (await planned.createPlan()).splits) {
    for (const task of await tasks.tasks(split as DataSplit)) documents.push(JSON.parse(task.toJson()) as Task)
  }
  return documents.map((task) => task['row-ranges'])
}

// The rows of a file are numbered: see Scenarios.indexes(), which wrote them.
describe.each(['indexed_rows', 'indexed_rows_embedded'])('the indexes of %s', (name) => {
  it('tell the rows to read', async () => {
    expect(await ranges(name, col('n').between(30n, 31n))).toEqual([[[3000, 3199]], [[3000, 3199]]])
    expect(await ranges(name, col('r').gt(9))).toEqual([[[6000, 7999]]])
    expect(await ranges(name, col('n').eq(5n).or(col('r').eq(10)))).toEqual([
      [[500, 599]],
      [
        [500, 599],
        [6000, 7999],
      ],
    ])
  })

  it('tell files without any, and close small gaps', async () => {
    expect(await ranges(name, col('city').eq('city0-1'))).toEqual([[[2001, 3999]]])
    expect(await ranges(name, col('b').eq('nothing'))).toEqual([])
    expect(await ranges(name, col('b').eq('b1'))).toEqual([undefined])
  })

  it('tell nothing of other columns, where little is spared, and where they are not read', async () => {
    expect(await ranges(name, col('n').eq(5n).or(col('id').eq(1)))).toEqual([undefined, undefined])
    expect(await ranges(name, col('n').gtEq(5n))).toEqual([undefined, undefined])
    const off = { 'file-index.read.enabled': 'false' }
    expect(await ranges(name, col('city').eq('city0-1'), off)).toEqual([undefined, undefined])
  })
})
