import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { and, col, Filter, not, or } from '../../../ts/expr/dsl.js'
import { type FilterInput, parseFilter } from '../../../ts/expr/parse.js'
import { printFilter } from '../../../ts/expr/print.js'
import { toRest } from '../../../ts/expr/rest.js'
import { bound } from './helpers.js'

const print = (filter: FilterInput): string => printFilter(bound(filter))

function code(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (LakefoldError.is(error)) return error.code
    throw error
  }
  return 'none'
}

describe('array DSL operators, in any case', () => {
  it.each([
    ['=', ['=', '==', 'eq', 'EQ']],
    ['!=', ['!=', '<>', 'ne', 'not-eq', 'Not-Eq']],
    ['<', ['<', 'lt']],
    ['<=', ['<=', 'lteq', 'le', 'lt-eq']],
    ['>', ['>', 'gt']],
    ['>=', ['>=', 'gteq', 'ge', 'gt-eq']],
  ])('%s is also %j', (canonical, names) => {
    for (const name of names) expect(print([name, 'i', 1])).toBe(`["${canonical}","i",1]`)
  })

  it.each([
    ['is-null', ['is-null', 'isnull', 'IS-NULL']],
    ['not-null', ['not-null', 'notnull', 'is-not-null']],
    ['is-nan', ['is-nan', 'isnan']],
    ['not-nan', ['not-nan', 'notnan', 'is-not-nan']],
  ])('%s is also %j', (canonical, names) => {
    for (const name of names) expect(print([name, 'f'])).toBe(`["${canonical}","f"]`)
  })

  it('has sets and prefixes', () => {
    expect(print(['notin', 'i', [1, 2]])).toBe('["not-in","i",[1,2]]')
    expect(print(['startswith', 'region', 'a'])).toBe('["starts-with","region","a"]')
    expect(print(['notstartswith', 'region', 'a'])).toBe('["not-starts-with","region","a"]')
    expect(print(['AND', ['TRUE'], ['OR', ['=', 'i', 1], ['=', 'i', 2], ['=', 'i', 3]]])).toBe(
      '["or",["or",["=","i",1],["=","i",2]],["=","i",3]]',
    )
  })
})

describe('JSON text', () => {
  it('keeps every digit', () => {
    expect(print('["=","l",9007199254740993]')).toBe('["=","l",9007199254740993]')
    expect(print('["=","price",1234567.005]')).toBe('["=","price","1234567.005"]')
    expect(print('["=","l",1e3]')).toBe('["=","l",1000]')
    expect(code(() => bound('["=","l",9007199254740993.5]'))).toBe('INVALID_LITERAL')
  })

  it('keeps strings that look like numbers or escapes', () => {
    expect(print('["=","region","5"]')).toBe('["=","region","5"]')
    expect(print('["=","region","a\\\\\\"1,2\\u00e9"]')).toBe('["=","region","a\\\\\\"1,2é"]')
  })
})

describe('malformed filters', () => {
  it.each<[unknown]>([
    [[]],
    [['and']],
    [['or']],
    [['not']],
    [['not', ['true'], ['true']]],
    [['true', 1]],
    [['like', 'region', 'a%']],
    [['=']],
    [['=', 'i']],
    [['=', 'i', 1, 2]],
    [['is-null', 'i', 1]],
    [['in', 'i', 1]],
    [['in', 'i', 1, 2]],
    [['=', 5, 1]],
    [['=', ['zorder', 'i'], 1]],
    [['=', ['bucket[4]'], 1]],
    [[5]],
    [['and', 5]],
    ['["=","i",1'],
    ['["=","i",01]'],
    ['["=","i",1] x'],
    ['{"type":"eq","term":"i"}'],
    [{ type: 'eq', term: 'i', values: [1] }],
    [{ type: 'in', term: 'i', value: 1 }],
    [{ type: 'in', term: 'i', values: 1 }],
    [{ type: 'is-null', term: 'i', value: 1 }],
    [{ type: 'eq', value: 1 }],
    [{ type: 'and', left: true }],
    [{ type: 'not' }],
    [{ type: 'nope', term: 'i' }],
    [{ term: 'i' }],
    [{ type: 'eq', term: { type: 'transform', transform: 'zorder', term: 'i' }, value: 1 }],
    [null],
    [undefined],
    [5],
    [''],
    ['i ='],
    ['i = 1 and'],
    ['i = 1 i'],
    ['(i = 1'],
    ["region = 'a"],
    ['i in 1'],
    ['i like 1'],
    ['i not 1'],
    ['i is 1'],
    ['between = 1'],
    ['i = ;'],
    ['i = j'],
  ])('%j', (filter) => {
    expect(code(() => bound(filter as FilterInput))).toBe('INVALID_FILTER')
  })

  it('nested too deeply are refused, in every spelling', () => {
    const depth = 100_000
    let array: unknown = ['=', 'i', 1]
    let rest: unknown = true
    let built = col('i').eq(1)
    for (let i = 0; i < depth; i++) {
      array = ['not', array]
      rest = { type: 'not', child: rest }
      built = built.not()
    }
    const cyclic: unknown[] = ['not']
    cyclic.push(cyclic)
    for (const filter of [array, rest, built, cyclic]) {
      expect(code(() => bound(filter as FilterInput))).toBe('LIMIT_EXCEEDED')
    }
    expect(code(() => bound(`${'["not",'.repeat(depth)}["true"]${']'.repeat(depth)}`))).toBe('LIMIT_EXCEEDED')
    expect(code(() => bound(`${'('.repeat(depth)}i = 1${')'.repeat(depth)}`))).toBe('LIMIT_EXCEEDED')
    expect(print(`${'not '.repeat(depth)}i = 1`)).toBe('["=","i",1]')
  })

  it('wide ones are read in every spelling', () => {
    const width = 20_000
    let rest: unknown = { type: 'eq', term: 'i', value: 0 }
    for (let i = 1; i < width; i++) rest = { type: 'or', left: rest, right: { type: 'eq', term: 'i', value: i } }
    const array = ['or', ...Array.from({ length: width }, (_, i) => ['=', 'i', i])]
    const text = Array.from({ length: width }, (_, i) => `i = ${i}`).join(' or ')
    const built = or(...Array.from({ length: width }, (_, i) => col('i').eq(i)))
    const printed = print(array)
    for (const filter of [rest, text, built]) expect(print(filter as FilterInput) === printed).toBe(true)
    const many = Array.from({ length: 300_000 }, (_, i) => i)
    expect(bound(['in', 'i', many])).toMatchObject({ op: 'in' })
    expect(print(`i in (${many.join()})`)).toBe(print(['in', 'i', many]))
  })
})

describe('REST expressions', () => {
  it.each<[FilterInput, string]>([
    [{ type: 'LT_EQ', term: 'i', value: 1 }, '["<=","i",1]'],
    [{ type: 'eq', term: { type: 'reference', term: 'i' }, value: { type: 'literal', value: 1 } }, '["=","i",1]'],
    [
      { type: 'eq', term: { type: 'transform', transform: 'bucket[16]', term: 'id' }, value: 3 },
      '["=",["bucket[16]","id"],3]',
    ],
    [{ type: 'not', child: { type: 'in', term: 'i', values: [1, 2] } }, '["not-in","i",[1,2]]'],
    [{ type: 'or', left: false, right: { type: 'is-nan', term: 'd' } }, '["is-nan","d"]'],
    ['{"type":"eq","term":"price","value":"14.20"}', '["=","price","14.20"]'],
    [{ type: 'eq', term: 'bin', value: 'FF00' }, '["=","bin","ff00"]'],
  ])('%j is %s', (filter, printed) => {
    expect(print(filter)).toBe(printed)
  })

  it('come out as they went in', () => {
    const filter = '["or",["and",["<","price","7.5"],["in","i",[1,2]]],["not-null","seen"]]'
    expect(toRest(bound(filter))).toEqual({
      type: 'or',
      left: {
        type: 'and',
        left: { type: 'lt', term: 'price', value: '7.50' },
        right: { type: 'in', term: 'i', values: [1, 2] },
      },
      right: { type: 'not-null', term: 'seen' },
    })
  })
})

describe('SQL-like text', () => {
  it.each([
    ['i = 1', '["=","i",1]'],
    ['i == -1', '["=","i",-1]'],
    ['1 < i', '[">","i",1]'],
    ["region = 'it''s'", '["=","region","it\'s"]'],
    ['"dotted.name" >= 1', '[">=","dotted.name",1]'],
    ['`st`.`a` = 1', '["=","st.a",1]'],
    ['st.a = 1', '["=","st.a",1]'],
    ['i between 1 and 3 and b = true', '["and",["and",[">=","i",1],["<=","i",3]],["=","b",true]]'],
    ['i = 1 or i = 2 and l = 3', '["or",["=","i",1],["and",["=","i",2],["=","l",3]]]'],
    ['(i = 1 or i = 2) and l = 3', '["and",["or",["=","i",1],["=","i",2]],["=","l",3]]'],
    ['I IN (1, 2)', 'error'],
    ['i IN (1, 2)', '["in","i",[1,2]]'],
    ['region is null', '["is-null","region"]'],
    ['region is not null', '["not-null","region"]'],
    ['d is nan', '["is-nan","d"]'],
    ["starts_with(region, 'e')", '["starts-with","region","e"]'],
    ["at >= '2026-01-01'", '[">=","at","2026-01-01T00:00:00"]'],
    ["at >= timestamp '2026-01-01 10:00:00'", '[">=","at","2026-01-01T10:00:00"]'],
    ["bin = x'ff00'", '["=","bin","ff00"]'],
    ['price < 7.5', '["<","price","7.50"]'],
    ['l = 9007199254740993', '["=","l",9007199254740993]'],
    ['bucket(16, id) = 3', '["=",["bucket[16]","id"],3]'],
    ['year(at) = 54', '["=",["year","at"],54]'],
    ['day = 5', '["=","day","1970-01-06"]'],
    ["day = date '2024-01-31'", '["=","day","2024-01-31"]'],
    ['true', '["true"]'],
    ['not false and i = 1', '["=","i",1]'],
  ])('%s is %s', (text, printed) => {
    if (printed === 'error') expect(code(() => bound(text))).toBe('UNKNOWN_COLUMN')
    else expect(print(text)).toBe(printed)
  })

  it.each([
    // Null matches neither a comparison nor its negation.
    ['i != 1', '["and",["!=","i",1],["not-null","i"]]'],
    ['not i = 1', '["and",["!=","i",1],["not-null","i"]]'],
    ['i not in (1, 2)', '["and",["not-in","i",[1,2]],["not-null","i"]]'],
    ['not i in (1, 2)', '["and",["not-in","i",[1,2]],["not-null","i"]]'],
    ["not starts_with(region, 'e')", '["and",["not-starts-with","region","e"],["not-null","region"]]'],
    ['d is not nan', '["and",["not-nan","d"],["not-null","d"]]'],
    ['not i < 1', '[">=","i",1]'],
    ['not (i = 1 and l = 2)', '["or",["and",["!=","i",1],["not-null","i"]],["and",["!=","l",2],["not-null","l"]]]'],
    ['i not between 1 and 3', '["or",["<","i",1],[">","i",3]]'],
    ['not i != 1', '["=","i",1]'],
    ['not i is null', '["not-null","i"]'],
    // A required column has no null to exclude.
    ['id != 1', '["!=","id",1]'],
  ])('%s keeps SQL’s meaning: %s', (text, printed) => {
    expect(print(text)).toBe(printed)
  })

  it('refuses null as a value, naming the column', () => {
    expect(code(() => bound('i = null'))).toBe('INVALID_LITERAL')
    expect(code(() => bound('i in (1, null)'))).toBe('INVALID_LITERAL')
  })
})

describe('builder', () => {
  it.each([
    [col('i').eq(1), '["=","i",1]'],
    [col('i').notEq(1), '["!=","i",1]'],
    [col('i').lt(1), '["<","i",1]'],
    [col('i').ltEq(1), '["<=","i",1]'],
    [col('i').gt(1), '[">","i",1]'],
    [col('i').gtEq(1), '[">=","i",1]'],
    [col('i').in([1, 2]), '["in","i",[1,2]]'],
    [col('i').notIn([1, 2]), '["not-in","i",[1,2]]'],
    [col('i').isNull(), '["is-null","i"]'],
    [col('i').notNull(), '["not-null","i"]'],
    [col('d').isNaN(), '["is-nan","d"]'],
    [col('d').notNaN(), '["not-nan","d"]'],
    [col('region').startsWith('a'), '["starts-with","region","a"]'],
    [col('region').notStartsWith('a'), '["not-starts-with","region","a"]'],
    [col('i').between(1, 2), '["and",[">=","i",1],["<=","i",2]]'],
    [
      col('i')
        .gt(1)
        .and(col('region').in(['x', 'y']))
        .not(),
      '["or",["<=","i",1],["not-in","region",["x","y"]]]',
    ],
    [
      and(col('i').gt(1), not(or(col('l').eq(1), col('l').eq(2)))),
      '["and",[">","i",1],["and",["!=","l",1],["!=","l",2]]]',
    ],
  ])('%# prints %s', (filter, printed) => {
    expect(print(filter)).toBe(printed)
  })

  it('makes frozen trees and never changes a filter', () => {
    const base = col('i').gt(1)
    const both = base.and(col('l').eq(2))
    expect(print(base)).toBe('[">","i",1]')
    expect(Object.isFrozen(both.expression)).toBe(true)
    expect(Object.isFrozen((both.expression as unknown as { children: object }).children)).toBe(true)
  })

  it('is recognised across copies of the package', () => {
    const foreign = { expression: col('i').eq(1).expression, [Symbol.for('lakefold.filter')]: true }
    expect(Filter.is(foreign)).toBe(true)
    expect(print(foreign as unknown as Filter)).toBe('["=","i",1]')
    expect(parseFilter(foreign as unknown as Filter)).toBe(foreign.expression)
  })
})
