// Random tables of a format, made and read by its reference in Java and read by lakefold as further cases of the conformance runner.
// The same seed makes the same table but for the names of its files. What Java itself refuses is no case.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const run = (command, args) => execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root })

/** Compiles the program in `format`/java, has it make `count` tables from the seed `first` on, and runs their cases; the exit code. `more` is for the program. */
export function runJava(format, [first = '1', count = '20', ...more]) {
  const program = join(import.meta.dirname, format, 'java')
  const cache = join(root, '.cache', `interop-${format}`)
  mkdirSync(cache, { recursive: true })
  const list = join(cache, 'classpath.txt')
  const pom = join(program, 'pom.xml')
  run('mvn', ['-q', '-B', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${list}`])
  const classpath = readFileSync(list, 'utf8')
  const files = [program, join(import.meta.dirname, 'java')].flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((file) => file.endsWith('.java'))
      .map((file) => join(folder, file)),
  )
  run('javac', ['-nowarn', '-d', join(cache, 'classes'), '-cp', classpath, ...files])

  const cases = join(cache, 'cases')
  rmSync(cases, { recursive: true, force: true })
  const classes = `${join(cache, 'classes')}:${classpath}`
  run('java', ['-Xmx2g', '-cp', classes, 'lakefold.interop.Main', cases, first, count, ...more])
  const runner = join(root, '__test__/conformance/main.ts')
  const { status } = spawnSync('npx', ['tsx', runner, cases, '--workers', '1,3'], { stdio: 'inherit', cwd: root })
  if (status !== 0 || !more.includes('merges')) return status ?? 1
  // Once more, with merges cut into small parts.
  const env = { ...process.env, LAKEFOLD_CASES: cases, LAKEFOLD_PIECE_BYTES: '2000' }
  const cut = ['vitest', 'run', '__test__/unit/paimon/cut-merges.test.ts', '--reporter', 'dot']
  return spawnSync('npx', cut, { stdio: 'inherit', cwd: root, env }).status ?? 1
}
