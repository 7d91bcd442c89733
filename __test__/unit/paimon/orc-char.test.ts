import { describe, expect, it } from 'vitest'
import type { DataFileMeta } from '../../../ts/paimon/metadata/data-file.js'
import type { PaimonType } from '../../../ts/paimon/metadata/types.js'
import { trusted } from '../../../ts/paimon/plan/file-stats.js'

const char: PaimonType = { kind: 'char', length: 5, nullable: true }
const file = (fileName: string) => ({ fileName, rowCount: 3n }) as DataFileMeta
const bounds = (min: string, max: string) => ({ min, max, nullCount: 0n })

describe('bounds of a CHAR column', () => {
  it('of ORC are padded, where rows are not: paimon-java writes these for rows that hold "𝄞" alone', () => {
    const stats = trusted(file('data-0.orc'), char, bounds('𝄞    ', '𝄞    '))
    expect(stats).toEqual(bounds('𝄞', '𝄞    '))
  })

  it('of ORC end where a row could be below them', () => {
    expect(trusted(file('data-0.orc'), char, bounds('a\u0001b  ', 'b    ')).min).toBe('a')
    expect(trusted(file('data-0.orc'), char, bounds('     ', 'b    ')).min).toBe('')
  })

  it('of other formats and types stay', () => {
    expect(trusted(file('data-0.parquet'), char, bounds('a  ', 'b  '))).toEqual(bounds('a  ', 'b  '))
    expect(trusted(file('data-0.orc'), { kind: 'varchar', length: 5, nullable: true }, bounds('a  ', 'b  ')).min).toBe(
      'a  ',
    )
  })
})
