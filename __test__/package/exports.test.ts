import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

type Conditions = { [condition: string]: string | Conditions }
const entries: [string, Conditions][] = Object.entries(
  manifest.exports as { [path: string]: Conditions | string },
).flatMap(([path, target]) => (typeof target === 'string' ? [] : [[path, target] as [string, Conditions]]))

function targets(conditions: Conditions | string): string[] {
  return typeof conditions === 'string' ? [conditions] : Object.values(conditions).flatMap(targets)
}

/** A package of a user, which has lakefold installed. */
let user: string
beforeAll(() => {
  user = mkdtempSync(join(tmpdir(), 'lakefold-user-'))
  mkdirSync(join(user, 'node_modules'))
  symlinkSync(root, join(user, 'node_modules', 'lakefold'))
  for (const name of ['apache-arrow', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(user, 'node_modules', name))
  }
})
afterAll(() => rmSync(user, { recursive: true }))

describe('what package.json exports', () => {
  it('exists, and is in the package', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      maxBuffer: 1 << 26,
    })
    const packed = new Set((JSON.parse(stdout)[0].files as { path: string }[]).map((file) => `./${file.path}`))
    const wanted = [...entries.flatMap(([, target]) => targets(target)), ...Object.values(manifest.bin as Conditions)]
    for (const path of wanted as string[]) {
      expect(existsSync(join(root, path)), path).toBe(true)
      expect(packed.has(path.startsWith('./') ? path : `./${path}`), `${path} in the package`).toBe(true)
    }
  })

  it('names types before code in each branch', () => {
    const check = (conditions: Conditions, where: string): void => {
      const names = Object.keys(conditions)
      if (names.includes('types')) expect(names[0], where).toBe('types')
      for (const [name, value] of Object.entries(conditions))
        if (typeof value !== 'string') check(value, `${where} ${name}`)
    }
    for (const [path, conditions] of entries) check(conditions, path)
  })

  it('is the same for import and require', async () => {
    for (const [path] of entries) {
      const name = `lakefold${path.slice(1)}`
      writeFileSync(join(user, 'a.mjs'), `import * as m from '${name}'; console.log(Object.keys(m).sort().join())`)
      writeFileSync(join(user, 'a.cjs'), `console.log(Object.keys(require('${name}')).sort().join())`)
      const [esm, cjs] = await Promise.all(['a.mjs', 'a.cjs'].map((file) => run(process.execPath, [join(user, file)])))
      expect(esm?.stdout).not.toBe('\n')
      expect(cjs?.stdout).toBe(esm?.stdout)
    }
  })

  it('has types for both kinds of modules', async () => {
    const code = `import { openTable, col, LakefoldError, type TableScan } from 'lakefold'
export const scan = async (): Promise<TableScan> => (await openTable('/x', { format: 'iceberg' })).scan().filter(col('a').gt(1))
export const is: boolean = LakefoldError.is(1)
`
    for (const name of ['user.mts', 'user.cts']) writeFileSync(join(user, name), code)
    const compilerOptions = {
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      target: 'ES2022',
      lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    }
    writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.mts', 'user.cts'] }))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const checked = await run(process.execPath, [tsc, '-p', user]).catch((error) => error)
    expect(checked.stdout).toBe('')
  })

  it('has an example for every name', async () => {
    const api: string[] = Object.keys(await import('../../ts/index.js'))
    const folder = join(root, 'examples')
    const text = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    expect(api.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })
})
