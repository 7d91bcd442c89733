import { expect, it } from 'vitest'
import { type KeyedFile, sortedRuns } from '../../../ts/paimon/plan/key-ranges.js'

const file = (fileName: string, min: number, max: number) =>
  ({ file: { fileName }, min: [min], max: [max] }) as unknown as KeyedFile
const order = (a: readonly unknown[], b: readonly unknown[]) => Number(a[0]) - Number(b[0])

it('the runs of a section come in the order in which the reference lists them (pk_levels__001)', () => {
  // The split of that case: levels 3, 2 and 0, in the order of their least keys.
  const section = [file('48bb9076', 0, 999), file('92171c5a', 1, 996), file('e29bc45d', 48, 321)]
  const names = sortedRuns(section, order).map((run) => run.map((one) => one.file.fileName))
  expect(names).toEqual([['e29bc45d'], ['48bb9076'], ['92171c5a']])
})

it('a file follows the run that ended first, if it ended before the file', () => {
  const section = [file('a', 0, 9), file('b', 1, 3), file('c', 4, 5)]
  const names = sortedRuns(section, order).map((run) => run.map((one) => one.file.fileName))
  expect(names).toEqual([['b', 'c'], ['a']])
})
