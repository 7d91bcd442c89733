import { describe, expect, it } from 'vitest'
import { toExec } from '../../../ts/expr/exec.js'
import type { FilterInput } from '../../../ts/expr/parse.js'
import type { JsonValue } from '../../../ts/types/types.js'
import { bound } from './helpers.js'

const exec = (filter: FilterInput): JsonValue => toExec(bound(filter))
const predicate = (op: string, id: number, ...values: JsonValue[]): JsonValue => ({
  op,
  term: { 'field-id': id },
  values,
})

describe('the filter that the decoder runs', () => {
  it.each<[FilterInput, JsonValue]>([
    [true, true],
    [false, false],
    ['["=","b",true]', predicate('eq', 10, true)],
    ['["lt","i",5]', predicate('lt', 6, 5)],
    ['["=","l",9007199254740993]', predicate('eq', 7, 9007199254740993n)],
    ['["=","d",1.5]', predicate('eq', 9, 1.5)],
    ['["=","price","14.2"]', predicate('eq', 3, '1420')],
    ['["=","day","1970-01-02"]', predicate('eq', 11, 1)],
    ['["=","time","00:00:01"]', predicate('eq', 12, 1_000_000)],
    ['["=","at","1970-01-01T00:00:01"]', predicate('eq', 4, 1_000_000)],
    ['["=","an","1970-01-01T00:00:01"]', predicate('eq', 13, 1_000_000_000)],
    ['["starts-with","region","é"]', predicate('starts-with', 2, 'é')],
    ['["=","u","F79C3E09-677C-4BBD-A479-3F349CB785E7"]', predicate('eq', 15, 'f79c3e09677c4bbda4793f349cb785e7')],
    ['["=","bin","0xFF"]', predicate('eq', 17, 'ff')],
    ['["is-null","st.s"]', predicate('is-null', 20)],
    ['["in","i",[3,1]]', predicate('in', 6, 3, 1)],
    [
      '["and",["=","i",1],["or",["=","i",2],["is-nan","d"]]]',
      { and: [predicate('eq', 6, 1), { or: [predicate('eq', 6, 2), predicate('is-nan', 9)] }] },
    ],
    ['["=",["bucket[16]","id"],3]', { op: 'eq', term: { 'field-id': 1, transform: { bucket: 16 } }, values: [3] }],
    [
      '["=",["truncate[2]","region"],"ab"]',
      { op: 'eq', term: { 'field-id': 2, transform: { truncate: 2 } }, values: ['ab'] },
    ],
    ['["<",["day","at"],"1970-01-03"]', { op: 'lt', term: { 'field-id': 4, transform: 'day' }, values: [2] }],
  ])('%j', (filter, json) => {
    expect(exec(filter)).toEqual(json)
  })

  it('keeps the sign of zero', () => {
    expect(exec('["=","d",-0.0]')).toEqual(predicate('eq', 9, -0))
  })

  it.each<[FilterInput, JsonValue]>([
    ['["<","price","14.209"]', predicate('lt-eq', 3, '1420')],
    ['["<=","price","14.209"]', predicate('lt-eq', 3, '1420')],
    ['[">","price","14.209"]', predicate('gt', 3, '1420')],
    ['[">=","price","14.209"]', predicate('gt', 3, '1420')],
    ['["<","price","-14.209"]', predicate('lt-eq', 3, '-1421')],
    ['["=","price","14.209"]', false],
    ['["!=","price","14.209"]', true],
    ['["in","price",["14.209","1.00"]]', predicate('in', 3, '100')],
    ['["in","price",["14.209","1.005"]]', false],
    ['["not-in","price",["14.209","1.00"]]', predicate('not-in', 3, '100')],
    ['["not-in","price",["14.209","1.005"]]', true],
    ['["and",["=","i",1],["=","price","1.005"]]', false],
    ['["and",["=","i",1],["!=","price","1.005"]]', predicate('eq', 6, 1)],
    // Beyond the precision, so beyond every value.
    ['["<","price","1e20"]', predicate('not-null', 3)],
    ['[">=","price","1e20"]', false],
    ['[">","price","-1e20"]', predicate('not-null', 3)],
    ['["=","price","1e20"]', false],
    ['["!=","price","1e20"]', true],
    ['["<","at","1970-01-01T00:00:00.0000015"]', predicate('lt-eq', 4, 1)],
    ['["<","at","1969-12-31T23:59:59.9999995"]', predicate('lt-eq', 4, -1)],
  ])('sees only exact values: %s', (filter, json) => {
    expect(exec(filter)).toEqual(json)
  })
})
