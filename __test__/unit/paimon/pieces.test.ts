import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PaimonTable } from '../../../ts/paimon/index.js'
import { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { dividedMerge } from '../../../ts/paimon/scan/divide-merge.js'
import { SplitTasks } from '../../../ts/paimon/scan/split-tasks.js'
import type { TaskDocument } from '../../../ts/paimon/scan/task-document.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { piecesOf } from '../../../ts/reader/pieces.js'
import { select } from '../../../ts/types/select.js'
import { rowsOf, WAREHOUSE } from './fixtures.js'

/** The pieces of all tasks of a table, cut small. */
async function pieces(name: string, columns: readonly string[], bytes = 5000) {
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
      documents.push(...[...piecesOf(task, bytes, 2)].map(({ document }) => document))
    }
  }
  return { documents, projection }
}

it('cuts a Parquet file that is read as it lies, and reads each row once, in order', async () => {
  const { documents, projection } = await pieces('pieces_parquet', ['id', 'v'])
  expect(documents.length).toBeGreaterThan(2)
  const tasks = documents.map((document) => ({ toJson: () => document }))
  const rows = await (await openReader({ tasks, projection, options: { numWorkers: 2 } })).toTable()
  const expected = rowsOf('rows/pieces_parquet__001_all.ndjson')
  expect([...rows.getChild('id')!]).toEqual(expected.map(({ id }) => id))
  expect([...rows.getChild('v')!]).toEqual(expected.map(({ v }) => (v === null ? null : BigInt(v as string))))
})

describe.each([
  ['pk_levels', 'rows/pk_levels__001_all.ndjson'],
  ['pk_dedup', 'rows/pk_dedup__001_all.ndjson'],
  ['pk_agg', 'rows/pk_agg__002_all.ndjson'],
  ['pk_seq_desc', 'rows/pk_seq_desc__001_all.ndjson'],
])('the merges of %s', (name, file) => {
  const expected = rowsOf(file)
    .map((row) => Number(row.id))
    .sort((a, b) => a - b)

  it.each([50, 700, 5000])('give each key once when divided into pieces of %i bytes', async (bytes) => {
    const { documents, projection } = await pieces(name, ['id'], bytes)
    const whole = await pieces(name, ['id'], Number.MAX_SAFE_INTEGER)
    const read = async (texts: readonly string[]) => {
      const tasks = texts.map((text) => ({ toJson: () => text }))
      const rows = await (await openReader({ tasks, projection, options: { numWorkers: 2 } })).toTable()
      return [...rows.getChild('id')!].map(Number)
    }
    const ids = await read(documents)
    expect(ids).toEqual(await read(whole.documents))
    expect(ids.sort((a, b) => a - b)).toEqual(expected)
    expect(whole.documents.some((text) => text.includes('"part"'))).toBe(false)
    if (bytes < 1000) expect(documents.length).toBeGreaterThan(whole.documents.length)
  })
})

it('divides a merge into its sections, and a large section into parts', () => {
  const run = (...sizes: number[]) => [
    sizes.map((size) => ({ 'data-file': { format: 'parquet', 'file-size-in-bytes': size } })),
  ]
  const rows = { kind: 'merge', sections: [run(10), run(20), run(90, 70), run(30), run(25)] }
  const pieces = dividedMerge({ version: 1, length: 10, rows }, 25).map(({ length, rows }) => {
    const { sections, part } = rows as unknown as { sections: unknown[]; part?: unknown }
    return { length, sections: sections.length, part }
  })
  expect(pieces).toEqual([
    { length: 10, sections: 2, part: undefined },
    { length: 90, sections: 1, part: { index: 0, count: 3 } },
    { length: 90, sections: 1, part: { index: 1, count: 3 } },
    { length: 90, sections: 1, part: { index: 2, count: 3 } },
    { length: 30, sections: 1, part: undefined },
    { length: 25, sections: 1, part: undefined },
  ])
})

it.each([
  ['ORC', { format: 'orc' }],
  ['Parquet that may be damaged', { format: 'parquet', ignore: { corrupt: true } }],
])('divides no section with a file of %s', (_, more) => {
  const file = { ...more, 'file-size-in-bytes': 100 } as TaskDocument
  const document: TaskDocument = { rows: { kind: 'merge', sections: [[[{ 'data-file': file }]]] } }
  expect(dividedMerge(document, 10)).toEqual([document])
})
