// npm run interop:paimon -- [first seed] [count]: random tables made and read by Paimon's Java, and read by lakefold as further cases of
// the conformance runner. The same seed makes the same table but for the names of its files. What Java itself refuses is no case.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const root = join(here, '../../..')
const cache = join(root, '.cache/interop-paimon')
const run = (command, args) => execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root })

const [first = '1', count = '20'] = process.argv.slice(2)
mkdirSync(cache, { recursive: true })
const list = join(cache, 'classpath.txt')
const pom = join(here, 'java/pom.xml')
run('mvn', ['-q', '-B', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${list}`])
const classpath = readFileSync(list, 'utf8')
const sources = join(here, 'java/src/main/java/lakefold/interop')
const files = readdirSync(sources).map((name) => join(sources, name))
run('javac', ['-nowarn', '-d', join(cache, 'classes'), '-cp', classpath, ...files])

const cases = join(cache, 'cases')
rmSync(cases, { recursive: true, force: true })
const classes = `${join(cache, 'classes')}:${classpath}`
run('java', ['-Xmx2g', '-cp', classes, 'lakefold.interop.Main', cases, first, count])
const runner = join(root, '__test__/conformance/main.ts')
const { status } = spawnSync('npx', ['tsx', runner, cases, '--workers', '1,3'], { stdio: 'inherit', cwd: root })
process.exit(status ?? 1)
