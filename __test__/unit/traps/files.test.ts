import { describe, expect, it } from 'vitest'

import { trap, values } from './trap-table.js'

describe('files by other writers', () => {
  it('T29: without ids and without a mapping, top-level columns go by position', async () => {
    const scan = (await trap('no_ids_no_mapping')).scan()
    expect(await values(scan)).toEqual([1n, 2n])
    expect(await values(scan, 'name')).toEqual(['x', 'y'])
    expect(await values(scan.filter(['=', 'name', 'y']))).toEqual([2n])
  })

  it('T31: a 32-bit column with an annotation, promoted to long', async () => {
    const scan = (await trap('annotated_int')).scan()
    expect(await values(scan)).toEqual([-2n, -1n, 0n, 1n, 2n])
    expect(await values(scan.filter(['<', 'id', 0]))).toEqual([-2n, -1n])
  })

  it('T33: pages of nulls alone in a delta encoding, with a page index', async () => {
    const scan = (await trap('all_null_delta_pages')).scan()
    expect(await values(scan)).toHaveLength(400)
    expect(await values(scan.filter(['is-null', 'v']))).toHaveLength(200)
    expect(await values(scan.filter(['=', 'v', 150]))).toEqual([350n])
  })

  it('T33: an index of the pages of one column alone', async () => {
    const scan = (await trap('partial_page_index')).scan()
    expect(await values(scan)).toHaveLength(400)
    expect(await values(scan.filter(['is-null', 'v']))).toHaveLength(200)
    expect(await values(scan.filter(['=', 'v', 150]))).toEqual([350n])
    expect(await values(scan.filter(['and', ['>', 'id', 397], ['>', 'v', 0]]))).toEqual([398n, 399n])
    expect(await values(scan.filter(['and', ['<', 'id', 201], ['>=', 'v', 0]]))).toEqual([200n])
  })
})

describe('T37: a file without the column answers as one that holds nulls', () => {
  const rows: [unknown[], bigint[]][] = [
    [['<', 'v', 6], [3n]],
    [['<=', 'v', 5], [3n]],
    [['>', 'v', 4], [3n]],
    [['>=', 'v', 5], [3n]],
    [['=', 'v', 5], [3n]],
    [['in', 'v', [5, 6]], [3n]],
    [
      ['!=', 'v', 5],
      [1n, 2n],
    ],
    [
      ['not-in', 'v', [5, 6]],
      [1n, 2n],
    ],
    [
      ['is-null', 'v'],
      [1n, 2n],
    ],
    [['not-null', 'v'], [3n]],
    [['starts-with', 's', 'a'], [3n]],
    [
      ['not-starts-with', 's', 'a'],
      [1n, 2n],
    ],
    [['not', ['<', 'v', 6]], []],
    [
      ['or', ['is-null', 's'], ['=', 'v', 5]],
      [1n, 2n, 3n],
    ],
  ]
  for (const [filter, ids] of rows) {
    it(JSON.stringify(filter), async () => {
      expect(await values((await trap('absent_column')).scan().filter(filter as never))).toEqual(ids)
    })
  }
})

describe('transforms at their edges', () => {
  it('T19: truncate near the least and greatest int', async () => {
    const scan = (await trap('truncate_edge')).scan()
    const ids = async (op: string, literal: number) => await values(scan.filter([op, 'v', literal]))
    expect(await ids('=', -2147483640)).toEqual([0n])
    expect(await ids('>=', -2147483648)).toEqual([0n, 1n, 2n, 3n])
    expect(await ids('<', -2147483639)).toEqual([0n])
    expect(await ids('=', -2147483648)).toEqual([])
    expect(await ids('!=', -2147483648)).toEqual([0n, 1n, 2n, 3n])
    expect(await ids('=', 2147483647)).toEqual([3n])
    expect(await ids('>', 2147483646)).toEqual([3n])
    expect(await ids('<=', 2147483647)).toEqual([0n, 1n, 2n, 3n])
    expect(await ids('<', 0)).toEqual([0n, 1n])
  })

  it('T19: truncate near the least and greatest long', async () => {
    const scan = (await trap('truncate_edge_long')).scan()
    const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n]
    const ids = async (op: string, literal: bigint) => await values(scan.filter([op, 'v', literal] as never))
    expect(await ids('=', least + 8n)).toEqual([0n])
    expect(await ids('>=', least)).toEqual([0n, 1n, 2n, 3n])
    expect(await ids('<', least + 9n)).toEqual([0n])
    expect(await ids('=', least)).toEqual([])
    expect(await ids('!=', least)).toEqual([0n, 1n, 2n, 3n])
    expect(await ids('=', greatest)).toEqual([3n])
    expect(await ids('>', greatest - 1n)).toEqual([3n])
    expect(await ids('<=', greatest)).toEqual([0n, 1n, 2n, 3n])
    expect(await ids('<', 0n)).toEqual([0n, 1n])
  })

  it('T20: buckets of negative decimals', async () => {
    const scan = (await trap('bucket_negative_decimals')).scan()
    const decimals = ['-1', '-128', '-129', '-256', '127', '128', '255', '0']
    for (const [i, text] of decimals.entries()) {
      expect(await values(scan.filter(['=', 'd', text])), text).toEqual([BigInt(i)])
    }
  })

  it('T26: nanoseconds under an hour partition', async () => {
    const scan = (await trap('hour_of_nanoseconds')).scan()
    const ids = async (op: string, text: string) => await values(scan.filter([op, 'ts', text]))
    expect(await ids('=', '1969-12-31T23:59:59.999999999')).toEqual([0n])
    expect(await ids('<', '1970-01-01T00:00:00')).toEqual([0n])
    expect(await ids('=', '1970-01-01T00:59:59.999999999')).toEqual([2n])
    expect(await ids('>', '1970-01-01T01:00:00.000000000')).toEqual([4n])
    expect(await ids('>=', '1970-01-01T01:00:00.000000000')).toEqual([3n, 4n])
  })
})
