import { describe, expect, it } from 'vitest'

import { difference } from '../../conformance/equivalent.js'
import { fromDsl, fromRest } from '../../conformance/expression.js'
import { parseJson } from '../../conformance/json.js'
import { type Column, parseType } from '../../conformance/schema.js'

const columns: Column[] = [
  ['id', 'long', true],
  ['i', 'int', false],
  ['d', 'double', false],
  ['f', 'float', false],
  ['price', 'decimal(9, 2)', false],
  ['day', 'date', false],
  ['ts', 'timestamp', false],
  ['s', 'string', false],
  ['b', 'binary', false],
  ['u', 'uuid', false],
  ['ok', 'boolean', false],
].map(([name, type, required]) => ({
  name: name as string,
  required: required as boolean,
  type: parseType(type as string),
}))

const compare = (rest: string, dsl: string) => difference(fromRest(parseJson(rest)), fromDsl(parseJson(dsl)), columns)
const leaf = (type: string, term: string, value: unknown) => JSON.stringify({ type, term, value })

describe('filters of one meaning', () => {
  const same: [string, string][] = [
    ['true', '["true"]'],
    [leaf('eq', 'i', 5), '["=","i",5]'],
    [leaf('lt', 'i', 5), '["<=","i",4]'],
    [`{"type":"not","child":${leaf('eq', 'i', 5)}}`, '["!=","i",5]'],
    [
      `{"type":"not","child":{"type":"or","left":${leaf('eq', 'i', 5)},"right":{"type":"is-null","term":"s"}}}`,
      '["and",["not-null","s"],["!=","i",5]]',
    ],
    [`{"type":"and","left":${leaf('gt', 'i', 1)},"right":${leaf('lt', 'i', 4)}}`, '["in","i",[3,2]]'],
    [leaf('eq', 'price', '7.5'), '["=","price","7.50"]'],
    [leaf('eq', 'price', '1.005'), '["false"]'],
    [leaf('lt', 'price', '14.209'), '["<","price","14.21"]'],
    [leaf('eq', 'ts', '2024-01-01T00:00:00'), '["=","ts",1704067200000000]'],
    [leaf('eq', 'day', '2024-01-31'), '["=","day",19753]'],
    [leaf('eq', 'b', 'FF00'), '["=","b","ff00"]'],
    [leaf('eq', 'u', 'F79C3E09-677C-4BBD-A479-3F349CB785E7'), '["=","u","f79c3e09-677c-4bbd-a479-3f349cb785e7"]'],
    ['{"type":"not-null","term":"id"}', '["true"]'],
    ['{"type":"in","term":"s","values":["a"]}', '["=","s","a"]'],
    ['{"type":"eq","term":{"type":"transform","transform":"void","term":"s"},"value":"x"}', '["false"]'],
    [
      '{"type":"eq","term":{"type":"transform","transform":"bucket[4]","term":"id"},"value":1}',
      '["=",["bucket[4]","id"],1]',
    ],
  ]
  for (const [rest, dsl] of same) it(`${rest} is ${dsl}`, () => expect(compare(rest, dsl)).toBeUndefined())
})

describe('filters of another meaning', () => {
  const other: [string, string][] = [
    ['true', '["false"]'],
    [leaf('eq', 'i', 5), '["true"]'],
    [leaf('eq', 'i', 5), '["=","i",6]'],
    [leaf('lt', 'i', 5), '["<=","i",5]'],
    [leaf('not-eq', 'i', 5), '["and",["!=","i",5],["not-null","i"]]'],
    [`{"type":"not","child":${leaf('lt', 'i', 5)}}`, '["or",[">=","i",5],["is-null","i"]]'],
    [leaf('lt', 'd', 5), '["<=","d",4]'],
    [leaf('eq', 'd', 0), '["=","d",-0.0]'],
    [`{"type":"not","child":${leaf('gt', 'd', 5)}}`, '["or",["<=","d",5.0],["is-nan","d"]]'],
    ['{"type":"not-nan","term":"f"}', '["not-null","f"]'],
    [leaf('eq', 'price', '7.50'), '["=","price","7.51"]'],
    ['{"type":"eq","term":"id","value":9007199254740993}', '["=","id",9007199254740992]'],
    [leaf('starts-with', 's', 'ab'), '["starts-with","s","a"]'],
    [leaf('starts-with', 's', 'ab'), '["=","s","ab"]'],
    [leaf('not-starts-with', 's', 'ab'), '["and",["not-null","s"],["not-starts-with","s","ab"]]'],
    [leaf('eq', 'ts', '2024-01-01T00:00:00'), '["=","ts","2024-01-01T00:00:00.000001"]'],
    [`{"type":"and","left":${leaf('gt', 'i', 1)},"right":${leaf('eq', 's', 'x')}}`, '[">","i",1]'],
    [`{"type":"or","left":${leaf('gt', 'i', 1)},"right":${leaf('eq', 's', 'x')}}`, '["and",[">","i",1],["=","s","x"]]'],
    [
      '{"type":"eq","term":{"type":"transform","transform":"bucket[4]","term":"id"},"value":1}',
      '["=",["bucket[8]","id"],1]',
    ],
    ['{"type":"eq","term":{"type":"transform","transform":"bucket[4]","term":"id"},"value":1}', '["=","id",1]'],
    [leaf('eq', 'i', 5), '["=","nope",5]'],
  ]
  for (const [rest, dsl] of other) it(`${rest} is not ${dsl}`, () => expect(compare(rest, dsl)).toBeDefined())
})
