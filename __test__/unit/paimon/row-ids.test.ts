import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { col, openTable } from '../../../ts/index.js'
import type { Predicate } from '../../../ts/paimon/plan/predicate.js'
import { ROW_ID, rowIdRanges, withoutRowIds } from '../../../ts/paimon/plan/row-id-filter.js'
import { failure, WAREHOUSE } from './fixtures.js'

const term = { fieldId: ROW_ID.id, name: ROW_ID.name, type: ROW_ID.type, required: false, resultType: ROW_ID.type }
const id = (op: string, ...ids: bigint[]) =>
  ({ op, term, literals: ids.map((value) => ({ value, exact: true })) }) as unknown as Predicate
const other = { op: 'eq', term: { ...term, fieldId: 1, name: 'v' }, literals: [] } as unknown as Predicate
const ranges = (predicate: Predicate) => rowIdRanges(predicate)?.map(({ from, to }) => [from, to])
const LAST = 2n ** 63n - 1n

describe('row ids that a filter lets through', () => {
  it('are sorted, joined and no others than can be', () => {
    expect(ranges(id('in', 9n, 3n, 4n, -1n))).toEqual([
      [3n, 4n],
      [9n, 9n],
    ])
    expect(ranges(id('lt', 0n))).toEqual([])
    expect(ranges(id('lt-eq', -5n))).toEqual([])
    expect(ranges(id('gt', LAST))).toEqual([])
    expect(ranges(id('gt-eq', -7n))).toEqual([[0n, LAST]])
  })

  it('are those of all parts of a conjunction, of any of a disjunction, and unknown where a part of one says nothing', () => {
    expect(ranges({ op: 'and', children: [id('gt', 3n), other, id('lt-eq', 6n)] })).toEqual([[4n, 6n]])
    expect(ranges({ op: 'and', children: [id('in', 1n, 5n, 9n), id('gt-eq', 5n)] })).toEqual([
      [5n, 5n],
      [9n, 9n],
    ])
    expect(ranges({ op: 'or', children: [id('eq', 7n), id('gt', 8n)] })).toEqual([
      [7n, 7n],
      [9n, LAST],
    ])
    expect(ranges({ op: 'or', children: [id('eq', 7n), other] })).toBeUndefined()
    expect(ranges({ op: 'and', children: [other, id('not-eq', 7n)] })).toBeUndefined()
    expect(ranges(other)).toBeUndefined()
  })

  it('are left out where statistics are asked, so that nothing else is lost', () => {
    expect(withoutRowIds({ op: 'or', children: [id('eq', 7n), other] })).toEqual({ op: 'true' })
    expect(withoutRowIds({ op: 'and', children: [id('eq', 7n), other] })).toEqual(other)
  })
})

describe('a filter of row ids', () => {
  it.each([
    ['row_tracking', '_SEQUENCE_NUMBER'],
    ['append_unaware', '_ROW_ID'],
    ['pk_dedup', '_ROW_ID'],
  ])('of %s by %s names a column that there is not', async (name, column) => {
    const table = await openTable(join(WAREHOUSE, name), { format: 'paimon' })
    const error = await failure(() => table.scan().filter(col(column).eq(1n)).toTable())
    expect([error.code, error.context.column]).toEqual(['UNKNOWN_COLUMN', column])
  })
})
