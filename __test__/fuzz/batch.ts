// Runs mutations `from` to `to` (seeds) over the fixtures in this process. Prints the seed before each, the outcome after it:
// the parent sees which seed a crash or a hang belongs to.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { type IcebergTable, LakefoldError, openTable } from '../../ts/index.js'
import { MUTATIONS, type Mutation, mutate, Random } from './mutate.js'

const LAKE = join(import.meta.dirname, '../fixtures/iceberg/tables')
const WRITTEN_AT = 'file:/lake/iceberg'
const TABLES = [
  'avro_data',
  'codecs',
  'default_values',
  'dv_v3',
  'eqdel_key_types',
  'metadata_gzip',
  'mixed_deletes',
  'name_mapping_addfiles',
  'nested_deep',
  'orc_data',
  'parquet_encodings',
  'parquet_pages',
  'posdel_file',
  'spec_evolution',
  'types_v3_nano',
  'v1_legacy_metadata',
  'variant_shredded',
]

/** Files and their latest metadata, once per table. */
function filesOf(table: string): { metadata: string; files: string[] } {
  const all = readdirSync(join(LAKE, table), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.crc'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const version = (path: string) => Number(/(\d+)[^/]*\.metadata\.json/.exec(path)?.[1] ?? -1)
  const metadata = all.filter((path) => path.includes('.metadata.json')).sort((a, b) => version(b) - version(a))[0]
  const files = all.filter((path) => !path.includes('.metadata.json') && !path.endsWith('version-hint.text'))
  return { metadata: metadata as string, files: [...files, metadata as string] }
}

const json = (value: unknown) =>
  JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v instanceof Map ? [...v] : v))

async function rowsOf(metadata: string, rewrite: Record<string, string>): Promise<string> {
  const table = (await openTable(metadata, { rewriteLocations: rewrite })) as IcebergTable
  const rows: string[] = []
  for await (const row of table.scan().rows({ numWorkers: 2 })) rows.push(json(row))
  return rows.join('\n')
}

const right = new Map<string, Promise<string>>()

/** Damage that a reader must notice: what is left can't be a whole file, or has a checksum. */
const mustNotice = (file: string, how: Mutation) =>
  file.endsWith('.puffin') || (how === 'truncate' && /\.(parquet|orc)$/.test(file))

async function run(seed: number, folder: string): Promise<string> {
  const random = new Random(seed)
  const name = random.pick(TABLES)
  const { metadata, files } = filesOf(name)
  const file = random.pick(files)
  const how = random.pick(MUTATIONS)
  const spoiled = join(folder, `${seed}-${file.slice(file.lastIndexOf('/') + 1)}`)
  writeFileSync(spoiled, mutate(readFileSync(file), how, random))
  const rewrite = { [WRITTEN_AT]: LAKE, [`${WRITTEN_AT}/${relative(LAKE, file)}`]: spoiled }
  if (!right.has(name)) right.set(name, rowsOf(metadata, { [WRITTEN_AT]: LAKE }))
  const expected = await right.get(name)
  const what = `${how} of ${relative(LAKE, file)}`
  try {
    const rows = await rowsOf(file === metadata ? spoiled : metadata, rewrite)
    if (rows === expected) return 'same'
    return mustNotice(file, how) ? `WRONG ROWS: ${what}` : 'other'
  } catch (error) {
    if (!LakefoldError.is(error))
      return `NOT OURS: ${what}: ${(error as Error)?.stack ?? error}`.replace(/\n\s*/g, ' | ')
    return error.code === 'INTERNAL' ? `INTERNAL: ${what}: ${error.message}` : 'error'
  } finally {
    rmSync(spoiled)
  }
}

const [from, to] = process.argv.slice(2).map(Number) as [number, number]
const folder = mkdtempSync(join(tmpdir(), 'lakefold-fuzz-'))
for (let seed = from; seed < to; seed++) {
  process.stdout.write(`seed ${seed}\n`)
  process.stdout.write(`= ${await run(seed, folder)}\n`)
}
process.stdout.write(`peak ${process.resourceUsage().maxRSS}\n`)
rmSync(folder, { recursive: true })
process.exit(0)
