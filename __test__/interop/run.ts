// npm run interop: the latest state of every fixture table, read by lakefold and by PyIceberg, compared as multisets of rows.
// A difference is printed, not judged: the cases tell who is right.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'

import { compareRows } from '../conformance/compare-rows.js'
import { encodeBatch } from '../conformance/encode.js'
import { LakefoldEngine } from '../conformance/lakefold-engine.js'
import { readMetadata, schemaOf } from '../conformance/schema.js'

const root = join(import.meta.dirname, '../..')
const LAKE = join(root, '__test__/fixtures/iceberg/tables')
const VENV = join(root, '.cache/interop')
const OUT = join(root, '.cache/interop-rows')

function python(args: string[]): void {
  const env = { ...process.env, PYTHONPATH: import.meta.dirname }
  const { status } = spawnSync(join(VENV, 'bin/python'), args, { stdio: 'inherit', env })
  if (status !== 0) throw new Error(`python ${args[0]} failed`)
}

function setup(): void {
  if (!existsSync(join(VENV, 'bin/python'))) spawnSync('python3', ['-m', 'venv', VENV], { stdio: 'inherit' })
  python(['-m', 'pip', 'install', '--quiet', 'pyiceberg[snappy]==0.12.0', 'pyarrow'])
  rmSync(OUT, { recursive: true, force: true })
  mkdirSync(OUT, { recursive: true })
}

function latest(table: string): string {
  const version = (name: string) => Number(/^v?(\d+)/.exec(name)?.[1])
  const names = readdirSync(join(LAKE, table, 'metadata')).filter((name) => name.endsWith('.metadata.json'))
  return join(LAKE, table, 'metadata', names.sort((a, b) => version(b) - version(a))[0] as string)
}

setup()
python([join(import.meta.dirname, 'peer.py'), LAKE, OUT])
const engine = await LakefoldEngine.load()
const tally = { same: 0, different: 0, 'peer cannot': 0 }
for (const table of readdirSync(LAKE).sort()) {
  const problem = join(OUT, `${table}.error`)
  if (existsSync(problem)) {
    tally['peer cannot']++
    console.log(`${table}: PyIceberg: ${readFileSync(problem, 'utf8')}`)
    continue
  }
  const metadata = latest(table)
  const columns = schemaOf(readMetadata(metadata), {})
  try {
    const theirs = tableFromIPC(readFileSync(join(OUT, `${table}.arrow`)))
    const expected = theirs.batches.flatMap((batch) => encodeBatch(batch, columns))
    const opened = await engine.open(metadata, 'file:/lake/iceberg', LAKE)
    const problems = compareRows(expected, await opened.scan({}).rows({ workers: 2, columns }))
    tally[problems.length === 0 ? 'same' : 'different']++
    if (problems.length > 0) console.log(`${table}: ${problems.slice(0, 3).join('\n  ')}`)
  } catch (error) {
    tally.different++
    console.log(`${table}: ${(error as Error).message}`)
  }
}
console.log(
  Object.entries(tally)
    .map(([what, n]) => `${n} ${what}`)
    .join(', '),
)
process.exit(0)
