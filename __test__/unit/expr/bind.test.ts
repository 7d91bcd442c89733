import { describe, expect, it } from 'vitest'
import { bind } from '../../../ts/expr/bind.js'
import { col, transform } from '../../../ts/expr/dsl.js'
import { referencedFieldIds } from '../../../ts/expr/fold.js'
import { type FilterInput, parseFilter } from '../../../ts/expr/parse.js'
import { printFilter } from '../../../ts/expr/print.js'
import { parseSchema } from '../../../ts/types/json.js'
import { failure } from '../failure.js'
import { bound } from './helpers.js'

const print = (filter: FilterInput): string => printFilter(bound(filter))

describe('folds', () => {
  it.each<[FilterInput, string]>([
    [['is-null', 'id'], '["false"]'],
    [['not-null', 'id'], '["true"]'],
    // The struct above may be null.
    [['is-null', 'st.a'], '["is-null","st.a"]'],
    [['is-null', 'rs.a'], '["false"]'],
    [['is-null', 'rs.o'], '["is-null","rs.o"]'],
    [['is-null', 'unk'], '["true"]'],
    [['not-null', 'unk'], '["false"]'],
    [['is-null', 'st'], '["is-null","st"]'],
    [['not-null', 'li'], '["not-null","li"]'],
    [['is-null', 'v'], '["is-null","v"]'],
    [['not-null', 'geo'], '["not-null","geo"]'],
    [['in', 'i', []], '["false"]'],
    [['not-in', 'i', []], '["true"]'],
    [['in', 'i', [1]], '["=","i",1]'],
    [['in', 'i', [1, 1]], '["=","i",1]'],
    [['not-in', 'i', [1]], '["!=","i",1]'],
    [['in', 'd', [0, -0]], '["in","d",[0.0,-0.0]]'],
    [['in', 'price', ['1.50', '1.5', 1.5]], '["=","price","1.50"]'],
    // Outside the type's range.
    [['=', 'i', 2147483648], '["false"]'],
    [['!=', 'i', 2147483648], '["true"]'],
    [['in', 'i', [2147483648, 1, -2147483649]], '["=","i",1]'],
    [['not-in', 'i', [2147483648]], '["true"]'],
    [['>', 'i', 2147483648], '["false"]'],
    [['>=', 'i', 2147483648], '["false"]'],
    [['<', 'i', 2147483648], '["not-null","i"]'],
    [['<=', 'i', 2147483648], '["not-null","i"]'],
    [['<', 'i', -2147483649], '["false"]'],
    [['>', 'i', -2147483649], '["not-null","i"]'],
    ['[">","id",-18446744073709551616]', '["true"]'],
    [['<', 'f', 1e300], '["and",["not-null","f"],["not-nan","f"]]'],
    [['>', 'f', 1e300], '["false"]'],
    [['=', 'day', 2 ** 40], '["false"]'],
    [['and', ['true'], ['=', 'i', 1]], '["=","i",1]'],
    [['and', ['false'], ['=', 'i', 1]], '["false"]'],
    [['or', ['true'], ['=', 'i', 1]], '["true"]'],
    [['or', ['=', 'i', 1]], '["=","i",1]'],
    [['not', ['true']], '["false"]'],
    [true, '["true"]'],
    [false, '["false"]'],
  ])('%j is %s', (filter, printed) => {
    expect(print(filter)).toBe(printed)
  })

  it.each([
    [['=', 'i', 1], '["!=","i",1]'],
    [['<', 'i', 1], '[">=","i",1]'],
    [['<=', 'i', 1], '[">","i",1]'],
    [['in', 'i', [1, 2]], '["not-in","i",[1,2]]'],
    [['starts-with', 'region', 'a'], '["not-starts-with","region","a"]'],
    [['is-nan', 'f'], '["not-nan","f"]'],
    [['is-null', 'i'], '["not-null","i"]'],
    [['and', ['=', 'i', 1], ['not', ['<', 'l', 2]]], '["or",["!=","i",1],["<","l",2]]'],
  ] as const)('not %j is %s', (filter, printed) => {
    expect(print(['not', filter])).toBe(printed)
    expect(print(['not', ['not', filter]])).toBe(print(filter))
  })

  it('rounds a double to the float column first', () => {
    expect(bound(['=', 'f', 0.1])).toMatchObject({ literals: [{ value: Math.fround(0.1), exact: true }] })
  })

  it('keeps literals with more digits than the type', () => {
    expect(bound(['=', 'price', '1.005'])).toMatchObject({ literals: [{ value: 100n, exact: false }] })
    expect(bound(['<', 'price', '-1.005'])).toMatchObject({ literals: [{ value: -101n, exact: false }] })
    expect(bound(['<', 'at', '1969-12-31T23:59:59.9999999'])).toMatchObject({
      literals: [{ value: -1n, exact: false }],
    })
  })

  it('folds null tests of transforms that keep order, as they are null just for null', () => {
    expect(print(['is-null', ['truncate[10]', 'id']])).toBe('["false"]')
    expect(print(['is-null', ['bucket[4]', 'id']])).toBe('["is-null",["bucket[4]","id"]]')
    expect(print(['is-null', ['void', 'id']])).toBe('["is-null",["void","id"]]')
  })
})

describe('names', () => {
  it('are case sensitive unless asked', () => {
    expect(failure(() => bound(['=', 'ID', 1])).code).toBe('UNKNOWN_COLUMN')
    expect(printFilter(bound(['=', 'ST.A', 1], { caseSensitive: false }))).toBe('["=","st.a",1]')
  })

  it('that differ by case only are ambiguous', () => {
    const twins = parseSchema({
      type: 'struct',
      fields: [
        { id: 1, name: 'a', required: false, type: 'int' },
        { id: 2, name: 'A', required: false, type: 'int' },
      ],
    })
    const error = failure(() => bind(parseFilter(['=', 'a', 1]), twins, { caseSensitive: false }))
    expect(error.message).toContain('ambiguous')
    expect(printFilter(bind(parseFilter(['=', 'A', 1]), twins, { caseSensitive: true }))).toBe('["=","A",1]')
  })

  it('that are unknown are named with near ones', () => {
    const error = failure(() => bound(['=', 'regoin', 'eu']))
    expect(error.code).toBe('UNKNOWN_COLUMN')
    expect(error.message).toContain('"regoin"')
    expect(error.context.suggestions).toEqual(['region'])
  })

  it('cannot enter lists and maps', () => {
    for (const name of ['li.element', 'm.key', 'm.value']) {
      expect(failure(() => bound(['=', name, 1])).code).toBe('UNKNOWN_COLUMN')
    }
  })
})

describe('errors name operator, column and value', () => {
  it.each<[FilterInput, string, string]>([
    [['=', 'i', null], 'INVALID_LITERAL', 'null'],
    [['in', 'i', [1, null]], 'INVALID_LITERAL', 'null'],
    [['=', 'i', 1.5], 'INVALID_LITERAL', '1.5'],
    [['=', 'l', 2 ** 53], 'INVALID_LITERAL', '9007199254740992'],
    [['=', 'l', 'abc'], 'INVALID_LITERAL', 'abc'],
    [['=', 'region', 5], 'INVALID_LITERAL', '5'],
    [['=', 'b', 'true'], 'INVALID_LITERAL', 'true'],
    [['=', 'd', '1'], 'INVALID_LITERAL', '1'],
    [['=', 'd', Number.NaN], 'INVALID_LITERAL', 'NaN'],
    [['=', 'd', Number.POSITIVE_INFINITY], 'INVALID_LITERAL', 'Infinity'],
    [['=', 'price', 'abc'], 'INVALID_LITERAL', 'abc'],
    [['=', 'price', '1e999999'], 'INVALID_LITERAL', '1e999999'],
    [['=', 'day', '2024-13-01'], 'INVALID_LITERAL', '2024-13-01'],
    [['=', 'day', '2023-02-29'], 'INVALID_LITERAL', '2023-02-29'],
    [['=', 'day', '2024-01-01T00:00:00'], 'INVALID_LITERAL', '2024-01-01T00:00:00'],
    [['=', 'time', '24:00'], 'INVALID_LITERAL', '24:00'],
    [['=', 'at', '2024-01-01T25:00:00'], 'INVALID_LITERAL', '25:00'],
    [['=', 'seen', 'yesterday'], 'INVALID_LITERAL', 'yesterday'],
    [['=', 'u', 'not-a-uuid'], 'INVALID_LITERAL', 'not-a-uuid'],
    [['=', 'fx', '0102'], 'INVALID_LITERAL', '0102'],
    [['=', 'bin', 'abc'], 'INVALID_LITERAL', 'abc'],
    [['=', 'i', [1]], 'INVALID_LITERAL', 'list'],
    [{ type: 'eq', term: 'seen', value: '2024-01-01T00:00:00' }, 'INVALID_LITERAL', '2024-01-01T00:00:00'],
    [{ type: 'eq', term: 'at', value: '2024-01-01T00:00:00Z' }, 'INVALID_LITERAL', '2024-01-01T00:00:00Z'],
    [{ type: 'eq', term: 'at', value: '2024-01-01' }, 'INVALID_LITERAL', '2024-01-01'],
    [['is-nan', 'id'], 'INVALID_FILTER', 'is-nan'],
    [['not-nan', 'price'], 'INVALID_FILTER', 'not-nan'],
    [['starts-with', 'id', '1'], 'INVALID_FILTER', 'starts-with'],
    [['=', 'st', 1], 'INVALID_FILTER', 'struct'],
    [['=', 'li', 1], 'INVALID_FILTER', 'list'],
    [['<', 'v', 1], 'INVALID_FILTER', 'variant'],
    [['=', 'unk', 1], 'INVALID_FILTER', 'unknown'],
    [['=', ['bucket[4]', 'd'], 1], 'INVALID_FILTER', 'bucket[4]'],
  ])('%j', (filter, code, part) => {
    const error = failure(() => bound(filter))
    expect(error.code).toBe(code)
    expect(
      `${error.message} ${JSON.stringify(error.context, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`,
    ).toContain(part)
    expect(error.context.column).toBeDefined()
  })
})

describe('nanosecond literals (T26)', () => {
  it('take an integer as nanos in the array form and as micros in REST, as Java', () => {
    expect(bound(['=', 'an', 1])).toMatchObject({ literals: [{ value: 1n }] })
    expect(bound({ type: 'eq', term: 'an', value: 1 })).toMatchObject({ literals: [{ value: 1000n }] })
  })
})

describe('builder literals', () => {
  it('may be bigint, Date and bytes', () => {
    expect(print(col('l').eq(2n ** 62n))).toBe('["=","l",4611686018427387904]')
    expect(print(col('at').gtEq(new Date('2024-01-01T00:00:00.250Z')))).toBe('[">=","at","2024-01-01T00:00:00.250000"]')
    expect(print(col('zn').lt(new Date(1)))).toBe('["<","zn","1970-01-01T00:00:00.001000000+00:00"]')
    expect(print(col('day').eq(new Date('1969-12-31')))).toBe('["=","day","1969-12-31"]')
    expect(print(col('bin').startsWith(new Uint8Array([0xff, 1])))).toBe('["starts-with","bin","ff01"]')
    expect(print(transform('bucket[16]', 'id').eq(3))).toBe('["=",["bucket[16]","id"],3]')
  })

  it('refuses a Date with a time of day on a date column, and invalid ones', () => {
    expect(failure(() => bound(col('day').eq(new Date(1)))).code).toBe('INVALID_LITERAL')
    expect(failure(() => bound(col('at').eq(new Date(Number.NaN)))).code).toBe('INVALID_LITERAL')
  })
})

it('collects the columns of a filter', () => {
  expect(referencedFieldIds(bound('["or",["=","id",1],["and",["is-null","st.s"],["=",["day","at"],1]]]'))).toEqual(
    new Set([1, 20, 4]),
  )
})
