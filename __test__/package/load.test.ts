import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { nativePath } from '../../ts/base/native.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const fixtures = join(root, '__test__/fixtures/iceberg')
const options = JSON.stringify({ rewriteLocations: { 'file:/lake/iceberg': join(fixtures, 'tables') } })
const table = JSON.stringify(join(fixtures, 'tables/v1_unpartitioned'))

/** Reads one batch and leaves the reader open: the process must end all the same. */
const READ = `
  const table = await openTable(${table}, ${options})
  const batches = await table.scan().toBatches({ dictionaries: true })
  const reader = await table.scan().toBatchReader({ numWorkers: 2 })
  const batch = await reader.nextBatch()
  console.log(JSON.stringify({ rows: batches.reduce((n, b) => n + b.numRows, 0), first: batch.numRows > 0 }))
`

async function node(args: string[], env: Record<string, string> = {}): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, args, { cwd: root, timeout: 60_000, env: { ...process.env, ...env } })
}

/** As many as the table's cases say. */
const rows = (
  JSON.parse(readFileSync(join(fixtures, 'cases/v1_unpartitioned.json'), 'utf8')) as { count?: number; scan: object }[]
)
  .filter((c) => Object.keys(c.scan).length === 0)
  .map((c) => c.count)[0]

describe('the built package', () => {
  test('is built', () => {
    expect(existsSync(join(root, 'dist/index.js')), 'run "npm run build:ts" first').toBe(true)
  })

  test('reads as an ES module, and the process ends with a reader left open', async () => {
    const { stdout } = await node(['--input-type=module', '-e', `import { openTable } from 'lakefold'\n${READ}`])
    expect(JSON.parse(stdout)).toEqual({ rows, first: true })
  })

  test('reads as CommonJS', async () => {
    const script = `const { openTable } = require('lakefold');(async () => {${READ}})()`
    const { stdout } = await node(['--input-type=commonjs', '-e', script])
    expect(JSON.parse(stdout)).toEqual({ rows, first: true })
  })

  test('reads where memory must be copied', async () => {
    const script = `import { openTable } from 'lakefold'\n${READ}`
    const { stdout } = await node(['--input-type=module', '-e', script], { LAKEFOLD_COPY_BATCHES: '1' })
    expect(JSON.parse(stdout)).toEqual({ rows, first: true })
  })

  test("both kinds know each other's errors", async () => {
    const script = `
      import { createRequire } from 'node:module'
      import { LakefoldError } from 'lakefold'
      const other = createRequire(process.cwd() + '/x.js')('lakefold')
      console.log(other.LakefoldError !== LakefoldError, LakefoldError.is(new other.LakefoldError('INTERNAL', 'x')))`
    expect((await node(['--input-type=module', '-e', script])).stdout.trim()).toBe('true true')
  })

  test('a missing addon says what to do', async () => {
    const script = `
      import { openTable } from 'lakefold'
      const table = await openTable(${table}, ${options})
      await table.scan().toTable().catch((e) => console.log(e.code, e.message))`
    const { stdout } = await node(['--input-type=module', '-e', script], {
      LAKEFOLD_NATIVE_PATH: '/nowhere/lakefold.node',
    })
    expect(stdout).toMatch(
      /^NATIVE_LOAD_FAILED .*npm install lakefold-.*npm run build:native.*\/nowhere\/lakefold\.node/,
    )
  })
})

test('the addon has exactly the functions that TypeScript declares', () => {
  const source = readFileSync(join(root, 'ts/base/native.ts'), 'utf8')
  const body = /interface NativeFunctions \{([\s\S]*?)\n\}/.exec(source)![1]!
  const declared = [...body.matchAll(/^ {2}(\w+)\(/gm)].map((match) => match[1]!)
  expect(Object.keys(createRequire(import.meta.url)(nativePath()) as object).sort()).toEqual(declared.sort())
})
