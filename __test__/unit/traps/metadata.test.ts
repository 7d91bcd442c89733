import { describe, expect, it } from 'vitest'

import { trap, values } from './trap-table.js'

describe('numbers that cannot be relied on', () => {
  it('T17: count does not come from the summary, nor from delete cardinalities', async () => {
    const scan = (await trap('wrong_summary')).scan()
    expect(await scan.count()).toBe(2n)
    expect(await values(scan)).toEqual([1n, 2n])
  })

  it('T23: counts of -1 are unknown, not zero', async () => {
    const scan = (await trap('unknown_counts')).scan()
    expect(await values(scan)).toEqual([1n, 2n, null])
    expect(await values(scan.filter(['is-null', 'id']))).toEqual([null])
    expect(await values(scan.filter(['not-null', 'id']))).toEqual([1n, 2n])
    expect(await values(scan.filter(['is-null', 'v']))).toEqual([2n])
    expect(await values(scan.filter(['=', 'v', 'y']))).toEqual([null])
    expect(await values(scan.filter(['!=', 'v', 'x']))).toEqual([2n, null])
  })

  it('T27: inverted, too long and too short bounds are unknown', async () => {
    const scan = (await trap('bad_bounds')).scan()
    expect(await values(scan)).toEqual([1n, 9n, 3n, 4n, 5n, 6n])
    expect(await values(scan.filter(['=', 'id', 1]))).toEqual([1n])
    expect(await values(scan.filter(['>', 'id', 5]))).toEqual([9n, 6n])
    expect(await values(scan.filter(['<', 'id', 4]))).toEqual([1n, 3n])
    expect(await values(scan.filter(['=', 'd', '1.50']))).toEqual([1n, 3n, 5n])
    expect(await values(scan.filter(['<', 'd', '0']))).toEqual([9n, 4n, 6n])
  })

  it('T36: a file of another size than the manifest says is read all the same', async () => {
    expect(await values((await trap('wrong_file_size')).scan())).toEqual([1n, 2n, 3n, 4n])
  })

  it('T35: snapshot ids beyond 2^53 are exact', async () => {
    const table = await trap('wrong_summary')
    expect(table.metadata.currentSnapshotId).toBe(9007199254740993n)
    expect(await table.scan().useSnapshot('9007199254740993').count()).toBe(2n)
    expect(() => table.scan().useSnapshot('9007199254740992')).toThrow(/9007199254740992/)
  })
})
