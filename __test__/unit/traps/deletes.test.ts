import { describe, expect, it } from 'vitest'

import { LakefoldError } from '../../../ts/index.js'
import { failure, trap, values } from './trap-table.js'

describe('position deletes', () => {
  it('T2: many row groups on both sides, every row deleted', async () => {
    expect(await values((await trap('all_rows_deleted')).scan())).toEqual([100n, 101n])
  })

  it('T4: inverted path bounds do not hide the deletes', async () => {
    expect(await values((await trap('inverted_path_bounds')).scan())).toEqual([1n, 3n])
  })

  for (const name of ['null_path', 'null_position', 'negative_position']) {
    it(`T5: a delete row with a bad value is an error that names the delete file: ${name}`, async () => {
      const error = (await failure(name)) as LakefoldError
      expect(LakefoldError.is(error)).toBe(true)
      expect(error.code).toBe('CORRUPT_FILE')
      expect(JSON.stringify([error.message, error.context])).toContain('bad-deletes.parquet')
    })
  }

  it('T6: a delete file that cannot be opened is an error, never the rows without it', async () => {
    const error = (await failure('delete_is_a_folder')) as LakefoldError
    expect(LakefoldError.is(error)).toBe(true)
    expect(JSON.stringify([error.message, error.context])).toContain('bad-deletes.parquet')
  })

  it('T9: a file-scoped delete of another partition refuses the plan', async () => {
    const table = await trap('delete_of_another_partition')
    await expect(table.scan().planFiles()).rejects.toMatchObject({ code: 'CORRUPT_FILE' })
  })

  it('T32: ordinary columns named pos and file_path are data', async () => {
    const table = await trap('ordinary_special_names')
    expect(await values(table.scan(), 'pos')).toEqual([10n, 12n])
    expect(await values(table.scan(), 'file_path')).toEqual(['x', 'z'])
    expect(await values(table.scan().filter(['=', 'pos', 12]), 'file_path')).toEqual(['z'])
    expect(await values(table.scan().select('_pos', 'pos'), '_pos')).toEqual([0n, 2n])
  })
})

describe('equality deletes', () => {
  it('T11: a key that is not null leaves null rows and old files alone', async () => {
    expect(await values((await trap('equality_null_rows')).scan())).toEqual([2n, 3n, 10n, 11n])
  })

  it('T13: files with several key sets all apply', async () => {
    expect(await values((await trap('equality_two_key_sets')).scan())).toEqual([4n])
  })

  it('T14, T38: keys match across promotion, either way', async () => {
    expect(await values((await trap('equality_promoted_key')).scan())).toEqual([3n, 4n])
  })

  it('T14: a file without the key column has its initial default', async () => {
    expect(await values((await trap('equality_default_key')).scan())).toEqual([4n, 5n])
  })

  it('T15: hundreds of thousands of delete rows', async () => {
    const expected = Array.from({ length: 5 }, (_, i) => BigInt(300_000 + i))
    expect(await values((await trap('equality_huge')).scan())).toEqual(expected)
  })
})
