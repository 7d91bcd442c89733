import { describe, expect, test } from 'vitest'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { groupsOf, type TaskGroup } from '../../../ts/reader/groups.js'
import type { TaskPiece } from '../../../ts/reader/pieces.js'
import { FileScanTask } from '../../../ts/task/scan-task.js'
import { COLUMNS, LARGE, LARGE_ROWS, taskOf } from './tasks.js'

const piece = (document: string, bytes: number | undefined, rows = 1, endsTask = true): TaskPiece => ({
  document,
  endsTask,
  size: bytes === undefined ? undefined : { bytes, rows },
})

async function groups(pieces: Iterable<TaskPiece>, failure?: Error): Promise<TaskGroup[]> {
  async function* source() {
    yield* pieces
    if (failure) throw failure
  }
  const all: TaskGroup[] = []
  try {
    for await (const group of groupsOf(source())) all.push(group)
  } catch (error) {
    expect(error).toBe(failure)
    all.push({ documents: ['failed'], ends: 0 })
  }
  return all
}

const many = (count: number, bytes: number, rows = 1) =>
  Array.from({ length: count }, (_, i) => piece(`t${i}`, bytes, rows))

describe('groups of small tasks', () => {
  test('hold every task once, in order, and count them', async () => {
    const pieces = [...many(300, 100), piece('big', 2 ** 30), piece('odd', undefined), ...many(7, 400_000)]
    const all = await groups(pieces)
    expect(all.flatMap(({ documents }) => documents)).toEqual(pieces.map(({ document }) => document))
    expect(all.reduce((sum, { ends }) => sum + ends, 0)).toBe(pieces.length)
    expect(all.every(({ documents, ends }) => documents.length === ends)).toBe(true)
  })

  test('begin with one and grow', async () => {
    const sizes = (await groups(many(2000, 100))).map(({ documents }) => documents.length)
    expect(sizes.slice(0, 9)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 4])
    expect(Math.max(...sizes)).toBe(64)
  })

  test('stay below a mebibyte of files and 65,536 rows', async () => {
    const bySize = (await groups(many(500, 300_000))).map(({ documents }) => documents.length)
    expect(Math.max(...bySize)).toBe(3)
    const byRows = (await groups(many(500, 100, 20_000))).map(({ documents }) => documents.length)
    expect(Math.max(...byRows)).toBe(3)
  })

  test('leave big files, files of many rows, parts of files and files of unknown size alone', async () => {
    const alone = [
      piece('a', 2 ** 19 + 1),
      piece('b', 10, 2 ** 16 + 1),
      piece('c', undefined),
      { ...piece('d', undefined), endsTask: false },
    ]
    const all = await groups([...many(20, 1), ...alone, ...many(20, 1)])
    for (const { document, endsTask } of alone) {
      expect(all).toContainEqual({ documents: [document], ends: endsTask ? 1 : 0 })
    }
  })

  test('come before the error of a plan that fails', async () => {
    const all = await groups(many(15, 1), new Error('no more'))
    expect(all.flatMap(({ documents }) => documents)).toEqual([...many(15, 1).map((p) => p.document), 'failed'])
  })
})

test('a read of many small files has few batches, all rows in order, and counts its tasks', async () => {
  // The first rows of a file of several row groups, as many tasks.
  const document = JSON.parse(taskOf(LARGE).toJson())
  const ranged = FileScanTask.fromJson(
    JSON.stringify({ ...document, 'data-file': { ...document['data-file'], 'record-count': 1000 } }),
  )
  const tasks = Array.from({ length: 40 }, () => ranged)
  for (const numWorkers of [1, 4]) {
    let done = 0
    const options = { numWorkers, onProgress: ({ tasksDone }: { tasksDone: number }) => (done = tasksDone) }
    const reader = await openReader({ tasks, projection: COLUMNS, options })
    let [next, ordered] = [0, true]
    for await (const batch of reader) {
      expect(batch.numRows).toBeLessThanOrEqual(65_536)
      for (const id of batch.getChild('id')!) ordered &&= id === next++ % LARGE_ROWS
    }
    expect({ next, ordered, done }).toEqual({ next: 40 * LARGE_ROWS, ordered: true, done: 40 })
  }
})
