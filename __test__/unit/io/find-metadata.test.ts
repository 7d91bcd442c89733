import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findMetadata } from '../../../ts/catalog/filesystem.js'
import { LocalFileIO } from '../../../ts/io/local.js'

const io = new LocalFileIO()
let table: string
beforeEach(() => {
  table = mkdtempSync(join(tmpdir(), 'lakefold-table-'))
  mkdirSync(join(table, 'metadata'))
})
afterEach(() => rmSync(table, { recursive: true }))

function write(name: string, content: string | Buffer = '{}'): void {
  writeFileSync(join(table, 'metadata', name), content)
}

it('takes the version of the hint, and those that follow it without a gap', async () => {
  for (const n of [1, 2, 3, 4, 6]) write(`v${n}.metadata.json`)
  write('version-hint.text', '2\n')
  expect(await findMetadata(io, table)).toBe(`${table}/metadata/v4.metadata.json`)
})

it.each(['', 'x', '99', '-1'])('takes the highest version where the hint is %j', async (hint) => {
  for (const n of [1, 9, 10]) write(`v${n}.metadata.json`)
  write('version-hint.text', hint)
  expect(await findMetadata(io, table)).toBe(`${table}/metadata/v10.metadata.json`)
})

it.each([
  'v3.gz.metadata.json',
  'v3.metadata.json.gz',
  '00003-9c12d441-03fe-4693-9a96-a0705ddf69c1.metadata.json',
  '00003-9c12d441-03fe-4693-9a96-a0705ddf69c1.gz.metadata.json',
])('knows %s as version 3', async (name) => {
  write('v2.metadata.json')
  write(name)
  write('snap-99.avro')
  write('v100.metadata.json.crc')
  expect(await findMetadata(io, table)).toBe(`${table}/metadata/${name}`)
})

it('takes the file updated last of several with one version', async () => {
  write('00002-b.metadata.json', '{"last-updated-ms":1700000000001}')
  write('00002-c.gz.metadata.json', gzipSync('{"last-updated-ms":1700000000003}'))
  write('00002-d.metadata.json', '{"last-updated-ms":1700000000002}')
  expect(await findMetadata(io, `${table}/`)).toBe(`${table}/metadata/00002-c.gz.metadata.json`)
})

it('takes the metadata folder itself, and a metadata file as it is', async () => {
  write('v1.metadata.json')
  expect(await findMetadata(io, `${table}/metadata`)).toBe(`${table}/metadata/v1.metadata.json`)
  expect(await findMetadata(io, 'file:/x/v7.metadata.json.gz')).toBe('file:/x/v7.metadata.json.gz')
})

it('says that a folder is no table', async () => {
  for (const location of [table, '/no/such/table']) {
    await expect(findMetadata(io, location)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: expect.stringContaining(location),
    })
  }
})
