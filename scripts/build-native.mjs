// Builds the addon for this machine and lays it where the loader looks: lakefold.<platform>.node beside package.json.
// Builds for other platforms go through `napi build --target`. Plain cargo here, for one target folder with all else.
import { spawnSync } from 'node:child_process'
import { copyFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const release = !process.argv.includes('--debug')
const args = ['build', '--package', 'lakefold', '--message-format', 'json-render-diagnostics']
if (release) args.push('--release')
const cargo = spawnSync('cargo', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (cargo.error) throw cargo.error
// Cargo has said why.
if (cargo.status !== 0) process.exit(cargo.status ?? 1)
const artifact = cargo.stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
  .findLast((message) => message.reason === 'compiler-artifact' && message.target.kind.includes('cdylib'))
const library = artifact.filenames.find((name) => /\.(so|dylib|dll)$/.test(name))

const { platform, arch } = process
const abi =
  platform === 'win32'
    ? '-msvc'
    : platform === 'linux'
      ? process.report.getReport().header.glibcVersionRuntime === undefined
        ? '-musl'
        : '-gnu'
      : ''
const target = join(root, `lakefold.${platform}-${arch}${abi}.node`)
// Renamed into place: a process that has the old file loaded keeps it.
copyFileSync(library, `${target}.new`)
renameSync(`${target}.new`, target)
process.stderr.write(`${target}\n`)
