import { describe, expect, it } from 'vitest'

import { type RowFormat, rowWriter } from '../../../ts/cli/output/row-writer.js'
import type { JsonValue } from '../../../ts/types/types.js'

function print(format: RowFormat, columns: string[], rows: JsonValue[][]): string {
  const writer = rowWriter(format)
  return writer.header(columns) + rows.map((row) => writer.row(row)).join('') + writer.end()
}

const columns = ['id', 'name']
const rows: JsonValue[][] = [
  [9007199254740993n, 'a "b", c'],
  [null, ''],
]

describe('row formats', () => {
  it('ndjson keeps the digits of 64-bit integers', () => {
    expect(print('ndjson', columns, rows)).toBe(
      '{"id":9007199254740993,"name":"a \\"b\\", c"}\n{"id":null,"name":""}\n',
    )
  })
  it('json is one list, also without rows', () => {
    expect(JSON.parse(print('json', columns, rows))).toHaveLength(2)
    expect(print('json', columns, [])).toBe('[]\n')
  })
  it('csv quotes as RFC 4180 and tells null from the empty text', () => {
    expect(print('csv', columns, rows)).toBe('id,name\r\n9007199254740993,"a ""b"", c"\r\n,""\r\n')
  })
  it('csv has nested values as JSON', () => {
    expect(print('csv', ['v'], [[{ a: [1, 2] }]])).toBe('v\r\n"{""a"":[1,2]}"\r\n')
  })
  it('table aligns numbers right and texts left', () => {
    expect(
      print(
        'table',
        ['n', 'text'],
        [
          [1, 'a'],
          [100, 'bb'],
        ],
      ),
    ).toBe('  n  text\n---  ----\n  1  a\n100  bb\n')
  })
  it('table has a header also without rows', () => {
    expect(print('table', columns, [])).toBe('id  name\n--  ----\n')
  })
  it('table lets no control character through', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(print('table', ['t'], [['\u001b[2J\nx']])).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
  it('table streams rows beyond its sample', () => {
    const many = Array.from({ length: 1000 }, (_, i) => [i, `name ${i}`])
    expect(print('table', columns, many).split('\n')).toHaveLength(1003)
  })
})
