import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalFileIO } from '../../../ts/io/local.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lakefold-io-'))
  mkdirSync(join(folder, 'cat=a%2Fb'))
  writeFileSync(join(folder, 'cat=a%2Fb', 'x.bin'), '0123456789')
  writeFileSync(join(folder, 'b.txt'), 'b')
  symlinkSync('/dev/zero', join(folder, 'endless'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('rewriteLocations', () => {
  const io = new LocalFileIO({
    rewriteLocations: {
      'file:/lake/iceberg': '/data/tables',
      '/lake/iceberg/deep/': 'file:///elsewhere/',
      's3://bucket/w': '/mnt/w',
    },
  })
  it.each([
    ['file:/lake/iceberg/t/x', '/data/tables/t/x'],
    ['file:///lake/iceberg/t/x', '/data/tables/t/x'],
    ['file://localhost/lake/iceberg/t/x', '/data/tables/t/x'],
    ['/lake/iceberg/t/x', '/data/tables/t/x'],
    ['/lake/iceberg', '/data/tables'],
    ['/lake/iceberg/deep/x', '/elsewhere/x'],
    ['/lake/iceberg/deeper/x', '/data/tables/deeper/x'],
    ['/lake/icebergs/x', '/lake/icebergs/x'],
    ['s3://bucket/w/a%20b', '/mnt/w/a%20b'],
    ['file:/other/a b%25', '/other/a b%25'],
  ])('%s opens %s', (location, path) => {
    expect(io.resolve(location)).toBe(path)
  })

  it('maps all paths by a rule for the root', () => {
    expect(new LocalFileIO({ rewriteLocations: { 'file:///': '/mnt' } }).resolve('file:/a/b')).toBe('/mnt/a/b')
  })

  it.each([['x'], [[]], [{ 'file:/a': 5 }]])('that are %j are refused by name', (rules) => {
    const rewriteLocations = rules as unknown as Record<string, string>
    expect(() => new LocalFileIO({ rewriteLocations })).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', context: { field: 'rewriteLocations', value: rules } }),
    )
  })

  it('refuses a scheme that is not local', () => {
    expect(() => io.resolve('s3://bucket/other')).toThrowError(
      expect.objectContaining({ code: 'UNSUPPORTED', message: expect.stringContaining('s3://bucket/other') }),
    )
  })
})

describe('LocalFileIO', () => {
  const moved = () => new LocalFileIO({ rewriteLocations: { 'file:/lake': folder } })

  it.skipIf(process.platform === 'win32')('refuses a named pipe without waiting for its writer', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await expect(moved().read('file:/lake/pipe')).rejects.toMatchObject({
      code: 'IO_ERROR',
      context: { file: 'file:/lake/pipe' },
    })
    rmSync(join(folder, 'pipe'))
  })

  it('reads a file and ranges of it; percent signs are literal', async () => {
    const location = 'file:/lake/cat=a%2Fb/x.bin'
    const text = async (range?: { offset: number; length: number }) =>
      Buffer.from(await moved().read(location, range)).toString()
    expect(await text()).toBe('0123456789')
    expect(await text({ offset: 2, length: 3 })).toBe('234')
    expect(await text({ offset: 10, length: 0 })).toBe('')
    expect(await moved().size(location)).toBe(10)
  })

  it('refuses a range that the file does not cover', async () => {
    for (const range of [
      { offset: 8, length: 3 },
      { offset: -1, length: 1 },
      { offset: Number.NaN, length: 1 },
      { offset: 0, length: 2 ** 50 },
    ]) {
      await expect(moved().read('file:/lake/b.txt', range)).rejects.toMatchObject({
        code: 'CORRUPT_FILE',
        message: expect.stringContaining('file:/lake/b.txt'),
      })
    }
  })

  it('lists names in order', async () => {
    expect(await moved().list('file:/lake')).toEqual(['b.txt', 'cat=a%2Fb', 'endless'])
  })

  it('names a missing file as metadata spells it, and where it was looked for', async () => {
    for (const call of [
      moved().read('file:/lake/none'),
      moved().size('file:/lake/none'),
      moved().list('file:/lake/none'),
    ]) {
      await expect(call).rejects.toMatchObject({
        code: 'FILE_NOT_FOUND',
        message: `file:/lake/none does not exist (opened as ${folder}/none)`,
      })
    }
    expect(await moved().exists('file:/lake/none')).toBe(false)
    expect(await moved().exists('file:/lake/b.txt/below')).toBe(false)
    expect(await moved().exists('file:/lake/b.txt')).toBe(true)
  })

  it('reads no folder, device or name that no file can have', async () => {
    for (const location of ['file:/lake', 'file:/lake/endless', 'file:/lake/a\0b']) {
      await expect(moved().read(location)).rejects.toMatchObject({ code: 'IO_ERROR' })
    }
  })

  it('stops when it is aborted', async () => {
    await expect(moved().read('file:/lake/b.txt', undefined, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})
