import { describe, expect, it } from 'vitest'
import { parseArray } from '../../../ts/expr/parse-array.js'
import { printFilter } from '../../../ts/expr/print.js'
import { residuals } from '../../../ts/expr/residual.js'
import type { PartitionTuple } from '../../../ts/types/partition.js'
import { bound, schema, spec } from './helpers.js'

const unpartitioned = { specId: 0, fields: [] }

/** The residual's text for a file with the tuple. */
function residual(filter: string, of = unpartitioned as ReturnType<typeof spec>, tuple: PartitionTuple = []): string {
  return printFilter(residuals(bound(filter), of, schema)(tuple))
}

describe('residuals as printed', () => {
  it.each([
    [
      '["and",["gt","id",10],["lteq","id",20],["eq","region","eu"]]',
      '["and",["and",[">","id",10],["<=","id",20]],["=","region","eu"]]',
    ],
    ['["not",["or",["=","region","eu"],["is-null","price"]]]', '["and",["!=","region","eu"],["not-null","price"]]'],
    ['["<","price","7.5"]', '["<","price","7.50"]'],
    ['[">=","at",1704067200000000]', '[">=","at","2024-01-01T00:00:00"]'],
    ['["=","seen","2024-01-01 01:00:00+01:00"]', '["=","seen","2024-01-01T00:00:00+00:00"]'],
    ['["not-null","id"]', '["true"]'],
  ])('%s is %s without partitions', (filter, printed) => {
    expect(residual(filter)).toBe(printed)
  })

  it('drops what the partition decides', () => {
    const byRegion = spec(['region', 'identity'])
    expect(residual('["and",["=","region","eu"],[">","id",2]]', byRegion, ['eu'])).toBe('[">","id",2]')
    const byMonth = spec(['at', 'month'])
    const january = (to: string) => `["and",[">=","at","2024-01-01T00:00:00"],["<","at","${to}"]]`
    expect(residual(january('2024-02-01T00:00:00'), byMonth, [54 * 12])).toBe('["true"]')
    expect(residual(january('2024-01-20T00:00:00'), byMonth, [54 * 12])).toBe('["<","at","2024-01-20T00:00:00"]')
  })

  it('folds through every and and or, not only the top', () => {
    const byRegion = spec(['region', 'identity'])
    const filter = '["or",["and",["=","region","eu"],[">","id",2]],["and",["=","region","us"],["<","id",9]]]'
    expect(residual(filter, byRegion, ['eu'])).toBe('[">","id",2]')
    expect(residual(filter, byRegion, ['us'])).toBe('["<","id",9]')
    expect(residual(filter, byRegion, ['asia'])).toBe('["false"]')
  })

  it.each([
    ['["=","region","eu"]', '["false"]'],
    ['["<","region","eu"]', '["false"]'],
    ['["in","region",["eu","us"]]', '["false"]'],
    ['["starts-with","region","e"]', '["false"]'],
    ['["!=","region","eu"]', '["true"]'],
    ['["not-in","region",["eu","us"]]', '["true"]'],
    ['["not-starts-with","region","e"]', '["true"]'],
    ['["is-null","region"]', '["true"]'],
    ['["not-null","region"]', '["false"]'],
  ])('a null identity partition makes %s %s', (filter, printed) => {
    expect(residual(filter, spec(['region', 'identity']), [null])).toBe(printed)
  })

  it('remembers tuples without mixing them up', () => {
    const two = spec(['region', 'identity'], ['i', 'identity'])
    const of = residuals(bound('["and",["=","region","a|1"],["=","i",1]]'), two, schema)
    expect(printFilter(of(['a|1', 1]))).toBe('["true"]')
    expect(printFilter(of(['a', 1]))).toBe('["false"]')
    expect(printFilter(of([null, 1]))).toBe('["false"]')
    expect(printFilter(of(['a|1', 1]))).toBe('["true"]')
    const zeros = residuals(bound(['=', 'd', -0]), spec(['d', 'identity']), schema)
    expect(printFilter(zeros([0]))).toBe('["false"]')
    expect(printFilter(zeros([-0]))).toBe('["true"]')
  })
})

describe('literals as printed', () => {
  it.each([
    ['["=","b",true]', '["=","b",true]'],
    ['["=","l",9223372036854775807]', '["=","l",9223372036854775807]'],
    ['["=","i",-5]', '["=","i",-5]'],
    ['["=","d",3]', '["=","d",3.0]'],
    ['["=","d",0.1]', '["=","d",0.1]'],
    ['["=","d",-0.0]', '["=","d",-0.0]'],
    ['["=","d",1e300]', '["=","d",1e+300]'],
    ['["=","f",0.1]', '["=","f",0.1]'],
    ['["=","f",16777217]', '["=","f",16777216.0]'],
    ['["=","price",1.5]', '["=","price","1.50"]'],
    ['["=","price","15e-1"]', '["=","price","1.50"]'],
    ['["=","price","1.005"]', '["=","price","1.005"]'],
    ['["<","price",14.209]', '["<","price","14.209"]'],
    ['["=","price",-0.5]', '["=","price","-0.50"]'],
    ['["=","day","2024-01-31"]', '["=","day","2024-01-31"]'],
    ['["=","day",19753]', '["=","day","2024-01-31"]'],
    ['["=","day","-0001-01-01"]', '["=","day","-0001-01-01"]'],
    ['["=","day","+10000-01-01"]', '["=","day","+10000-01-01"]'],
    ['["=","time","22:31:08"]', '["=","time","22:31:08"]'],
    ['["=","time","22:31"]', '["=","time","22:31:00"]'],
    ['["=","time","22:31:08.5"]', '["=","time","22:31:08.500000"]'],
    ['["=","time","22:31:08.0000005"]', '["=","time","22:31:08.0000005"]'],
    ['["=","at","2024-01-01"]', '["=","at","2024-01-01T00:00:00"]'],
    ['["=","at","2024-01-01T00:00:00.123"]', '["=","at","2024-01-01T00:00:00.123000"]'],
    ['["=","at","1969-12-31T23:59:59.999999"]', '["=","at","1969-12-31T23:59:59.999999"]'],
    ['["=","an","2024-01-01T00:00:00.000000001"]', '["=","an","2024-01-01T00:00:00.000000001"]'],
    ['["=","an",1]', '["=","an","1970-01-01T00:00:00.000000001"]'],
    ['["=","zn","2024-01-01T00:00:00Z"]', '["=","zn","2024-01-01T00:00:00+00:00"]'],
    ['["=","region","a\\"\\\\\\u0001é"]', '["=","region","a\\"\\\\\\u0001é"]'],
    ['["=","u","F79C3E09677C4BBDA4793F349CB785E7"]', '["=","u","f79c3e09-677c-4bbd-a479-3f349cb785e7"]'],
    ['["=","fx","0x0001020F"]', '["=","fx","0001020f"]'],
    ['["=","bin",""]', '["=","bin",""]'],
    ['["in","i",[3,1,3,2]]', '["in","i",[3,1,2]]'],
    ['["=",["bucket[16]","id"],3]', '["=",["bucket[16]","id"],3]'],
    ['["=",["day","at"],"2024-01-01"]', '["=",["day","at"],"2024-01-01"]'],
    ['["=","st.a",1]', '["=","st.a",1]'],
    ['["=","dotted.name",1]', '["=","dotted.name",1]'],
  ])('%s prints %s, and stays so', (filter, printed) => {
    expect(printFilter(bound(filter))).toBe(printed)
    expect(printFilter(bound(printed))).toBe(printed)
  })

  it('prints and reads thousands of operands without recursion', () => {
    const wide = ['or', ...Array.from({ length: 5000 }, (_, i) => ['=', 'id', i])]
    const printed = printFilter(bound(wide))
    expect(printed.startsWith('["or",["or",')).toBe(true)
    expect(printFilter(bound(printed))).toBe(printed)
    expect(parseArray(wide)).toMatchObject({ op: 'or' })
  })
})
