import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PaimonTable } from '../../../ts/paimon/index.js'
import { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { SplitTasks } from '../../../ts/paimon/scan/split-tasks.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { piecesOf } from '../../../ts/reader/pieces.js'
import { select } from '../../../ts/types/select.js'
import { rowsOf, WAREHOUSE } from './fixtures.js'

/** The pieces of all tasks of a table, cut small. */
async function pieces(name: string, columns: readonly string[]) {
  const table = await PaimonTable.open(join(WAREHOUSE, name))
  const projection = select(table.schema.asShared, columns, { caseSensitive: true, metadataColumns: new Map() })
  const tasks = new SplitTasks(table.view, {
    predicate: { op: 'true' },
    projection,
    keepDeletes: false,
    keepMerged: false,
  })
  const documents: string[] = []
  for (const split of await table.scan().planSplits()) {
    if (!(split instanceof DataSplit)) continue
    for (const task of await tasks.tasks(split)) {
      documents.push(...[...piecesOf(task, 5000, 2)].map(({ document }) => document))
    }
  }
  return { documents, projection }
}

it('cuts a Parquet file that is read as it lies, and reads each row once, in order', async () => {
  const { documents, projection } = await pieces('pieces_parquet', ['id', 'v'])
  expect(documents.length).toBeGreaterThan(2)
  const tasks = documents.map((document) => ({ toJson: () => document }))
  const rows = await openReader({ tasks, projection, options: { numWorkers: 2 } }).toTable()
  const expected = rowsOf('rows/pieces_parquet__001_all.ndjson')
  expect([...rows.getChild('id')!]).toEqual(expected.map(({ id }) => id))
  expect([...rows.getChild('v')!]).toEqual(expected.map(({ v }) => (v === null ? null : BigInt(v as string))))
})

it('cuts no file that is merged with others', async () => {
  const { documents } = await pieces('pk_levels', ['id'])
  for (const document of documents) expect(JSON.parse(document)).toMatchObject({ start: 0, rows: { kind: 'merge' } })
})
