// Runs the tests of what depends on V8 (threads, memory that is not its own, modules) with later versions of Node, from npm.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.mjs'
import { root } from './setup.mjs'

const VERSIONS = [22, 24, 26]
const TESTS = ['__test__/package/load.test.ts', '__test__/stress', '__test__/unit/reader']

/** The program of a version, installed where it is missing. */
async function program(version) {
  const folder = join(root, '.cache', `node-${version}`)
  const file = join(folder, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `node@${version}`]
  const { code } = await run('npm', args, { cwd: folder })
  if (code !== 0 || !existsSync(file)) throw new Error(`Node ${version} could not be installed: npm ${args.join(' ')}`)
  return file
}

let failed = false
for (const version of VERSIONS) {
  const node = await program(version)
  const { code } = await run(node, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...TESTS], { cwd: root })
  process.stdout.write(`Node ${version}: ${code === 0 ? 'passed' : 'FAILED'}\n`)
  failed ||= code !== 0
}
process.exitCode = failed ? 1 : 0
