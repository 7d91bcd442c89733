import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../../ts/exec/options.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { pieceBytes, piecesOf } from '../../../ts/reader/pieces.js'
import { FileScanTask } from '../../../ts/task/scan-task.js'
import { COLUMNS, LARGE, LARGE_ROWS, taskOf } from './tasks.js'

/** `taskOf` with an honest size, or any other. */
function sized(fileSize: number, length = fileSize, start = 0, format = 'parquet'): FileScanTask {
  const document = JSON.parse(taskOf(LARGE).toJson())
  document['data-file']['file-size-in-bytes'] = fileSize
  document['data-file'].format = format
  return FileScanTask.fromJson(JSON.stringify({ ...document, start, length }))
}

const cut = (task: FileScanTask, bytes: number, workers = 2) =>
  [...piecesOf(task, bytes, workers)].map(({ document, endsTask }) => {
    const { start, length } = FileScanTask.fromJson(document)
    return { start, end: start + length, endsTask }
  })

describe('pieces of a task', () => {
  test('cover its range once, in order, and only the last ends it', () => {
    expect(cut(sized(1000, 905, 95), 300)).toEqual([
      { start: 95, end: 395, endsTask: false },
      { start: 395, end: 695, endsTask: false },
      { start: 695, end: 1000, endsTask: true },
    ])
    expect(cut(sized(1000), 501)).toEqual([{ start: 0, end: 1000, endsTask: true }])
  })

  test('are the task itself for one worker, for other formats, and where the size is known to be wrong', () => {
    const whole = [{ start: 0, end: 1000, endsTask: true }]
    expect(cut(sized(1000), 100, 1)).toEqual(whole)
    expect(cut(sized(1000, 1000, 0, 'orc'), 100)).toEqual(whole)
    // A range that reaches the recorded size is read to the real end of the file.
    expect(cut(sized(500, 1000), 100)).toEqual(whole)
  })

  test('give every row once, in order, however small they are', async () => {
    const size = statSync(LARGE).size
    for (const bytes of [Math.ceil(size / 3), Math.ceil(size / 50)]) {
      const tasks = [...piecesOf(sized(size), bytes, 4)].map(({ document }) => FileScanTask.fromJson(document))
      expect(tasks.length).toBeGreaterThan(1)
      const reader = await openReader({ tasks, projection: COLUMNS, options: { numWorkers: 4 } })
      let next = 0
      let ordered = true
      for await (const batch of reader) for (const id of batch.getChild('id')!) ordered &&= id === next++
      expect({ next, ordered }).toEqual({ next: LARGE_ROWS, ordered: true })
    }
  })

  test('are small enough that each worker has some waiting within the limit', () => {
    expect(pieceBytes(256 * 2 ** 20, 2)).toBe(16 * 2 ** 20)
    expect(pieceBytes(64 * 2 ** 20, 2)).toBe(4 * 2 ** 20)
    expect(pieceBytes(2 ** 40, 1)).toBe(16 * 2 ** 20)
  })
})

test('numWorkers 0 means one for each CPU', () => {
  expect(readSettings({ numWorkers: 0 }).numWorkers).toBe(availableParallelism())
})
