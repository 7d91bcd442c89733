import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { BinPacker } from '../../../ts/iceberg/plan/bin-pack.js'
import { splitAndJoin, splitFile } from '../../../ts/iceberg/plan/split.js'
import { groupTasks, taskGroupOptions } from '../../../ts/iceberg/plan/task-groups.js'
import { FileScanTask } from '../../../ts/task/scan-task.js'

const golden = readFileSync(new URL('../../fixtures/tasks/plain.json', import.meta.url), 'utf8')
const whole = (size: number) => FileScanTask.fromJson(golden).withRange(0, size)
const ranges = (tasks: readonly FileScanTask[]) => tasks.map(({ start, length }) => [start, length])

function pack(weights: number[], target: number, lookback: number): number[][] {
  const packer = new BinPacker<number>(target, lookback, (weight) => weight)
  const closed = weights.map((weight) => packer.add(weight)).filter((bin) => bin !== undefined)
  return [...closed, ...packer.finish()]
}

describe('bin packing', () => {
  it.each([
    [[1, 2, 3, 4, 5], 3, 10, [[1, 2], [3], [4], [5]]],
    [[1, 2, 3, 4, 5], 5, 10, [[1, 2], [3], [4], [5]]],
    [[1, 2, 3, 4, 5], 6, 10, [[1, 2, 3], [4], [5]]],
    [[1, 2, 3, 4, 5], 8, 10, [[1, 2, 3], [4], [5]]],
    [
      [1, 2, 3, 4, 5],
      9,
      10,
      [
        [1, 2, 3],
        [4, 5],
      ],
    ],
    [[1, 2, 3, 4, 5], 10, 10, [[1, 2, 3, 4], [5]]],
    [[1, 2, 3, 4, 5], 15, 10, [[1, 2, 3, 4, 5]]],
  ])('%j into bins of %i', (weights, target, lookback, bins) => {
    expect(pack(weights, target, lookback)).toEqual(bins)
  })

  it('closes the heaviest bin once too many are open, the oldest on a tie', () => {
    expect(pack([36, 36, 36, 36, 65, 65, 128, 1], 128, 2)).toEqual([[36, 36, 36], [128], [36, 65, 1], [65]])
    expect(pack([5, 5, 5], 5, 1)).toEqual([[5], [5], [5]])
  })
})

describe('splits', () => {
  it('follow usable split offsets and do not look at the split size', () => {
    expect(ranges(splitFile(whole(100), [4n, 50n, 90n], 1000))).toEqual([
      [4, 46],
      [50, 40],
      [90, 10],
    ])
  })

  it.each([
    ['missing', undefined],
    ['empty', []],
    ['not ascending', [4n, 4n, 50n]],
    ['beyond the file', [4n, 100n]],
    ['negative', [-4n, 50n]],
  ])('are cut by size where offsets are %s', (_, offsets) => {
    expect(ranges(splitFile(whole(100), offsets, 40))).toEqual([
      [0, 40],
      [40, 40],
      [80, 20],
    ])
  })

  it('are joined up to the split size; one piece is the whole file', () => {
    const offsets = [4n, 30n, 60n, 90n]
    expect(ranges(splitAndJoin(whole(100), offsets, 60))).toEqual([
      [4, 56],
      [60, 40],
    ])
    expect(ranges(splitAndJoin(whole(100), offsets, 99))).toEqual([[0, 100]])
    expect(ranges(splitAndJoin(whole(100), offsets, 0))).toEqual([[0, 100]])
    expect(ranges(splitAndJoin(whole(100), offsets, 1)).length).toBe(4)
  })
})

describe('task groups', () => {
  it('merge adjacent pieces of a file that meet in one bin', () => {
    const options = taskGroupOptions({ splitSize: 60, lookback: 10, openFileCost: 0 })
    const groups = groupTasks(splitFile(whole(100), [4n, 30n, 60n], 60), options)
    expect(groups.map(ranges)).toEqual([[[4, 56]], [[60, 40]]])
  })

  it('do not merge pieces of different files', () => {
    const options = taskGroupOptions({ splitSize: 1000, lookback: 10, openFileCost: 1 })
    const [a, b] = [whole(10), whole(10)]
    expect(groupTasks([a, b.withRange(10, 5)], options).map(ranges)).toEqual([
      [
        [0, 10],
        [10, 5],
      ],
    ])
  })

  it.each([{ splitSize: 0 }, { splitSize: 1.5 }, { lookback: 0 }, { openFileCost: -1 }])('refuse %j', (options) => {
    const field = Object.keys(options)[0]
    expect(() => taskGroupOptions(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', context: expect.objectContaining({ field }) }),
    )
    expect(() => taskGroupOptions(options)).toThrow(LakefoldError)
  })
})
