// Makes a checkout ready: installs npm packages and builds what is missing or older than its sources. Needs nothing but Node.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { run } from './run.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const NODE = [20, 17]

const at = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/** Latest change under a folder or of a file, in milliseconds. */
function newest(path) {
  if (!existsSync(path)) return 0
  if (!statSync(path).isDirectory()) return at(path)
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/** Which steps a checkout needs, in order. */
export function missingSteps(folder) {
  const path = (...names) => join(folder, ...names)
  const steps = []
  if (at(path('node_modules', '.package-lock.json')) < at(path('package-lock.json'))) steps.push('packages')
  const addons = readdirSync(folder).filter((name) => /^lakefold\..*\.node$/.test(name))
  const addon = Math.max(0, ...addons.map((name) => at(path(name))))
  const rust = ['crates', 'build.rs', 'Cargo.toml', 'Cargo.lock'].map((name) => newest(path(name)))
  if (addon < Math.max(...rust)) steps.push('addon')
  if (at(path('dist', 'index.js')) < newest(path('ts'))) steps.push('library')
  return steps
}

async function need(what, command, args) {
  process.stderr.write(`setup: ${what} (${[command, ...args].join(' ')})\n`)
  const { code } = await run(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (code !== 0) throw new Error(`${what} failed: ${[command, ...args].join(' ')}`)
}

export async function setup() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
    throw new Error(`Node ${NODE.join('.')} or later is needed; this is ${process.versions.node}`)
  }
  const steps = missingSteps(root)
  if (steps.includes('packages')) await need('installing npm packages', 'npm', ['ci', '--no-audit', '--no-fund'])
  if (steps.includes('addon')) {
    const cargo = await run('cargo', ['--version'], { quiet: true, stdio: ['ignore', 'pipe', 'ignore'] })
    if (cargo.code !== 0)
      throw new Error('cargo is needed to build the addon: install Rust 1.90 or later (https://rustup.rs)')
    await need('building the addon', 'npm', ['run', 'build:native'])
  }
  if (steps.includes('library')) await need('building the library', 'npm', ['run', 'build:ts'])
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  setup().catch((error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
