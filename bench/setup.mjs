// Sets up the peers and makes the tables, once, in .cache (outside git).
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const bench = dirname(fileURLToPath(import.meta.url))
export const root = dirname(bench)
export const cache = join(root, '.cache')
export const tables = join(cache, 'bench', 'tables')

const run = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root, ...options })

const withClasses = (name) =>
  `${readFileSync(join(cache, `${name}-classpath.txt`), 'utf8')}:${join(cache, `${name}-classes`)}`

/** Iceberg's Java and its peer. */
export const classpath = () => withClasses('java')
/** Paimon's. */
export const paimonClasspath = () => withClasses('java-paimon')

/** Compiles the classes of one of the Java folders against what its pom names. */
function compile(name) {
  const folder = join(bench, name)
  const list = join(cache, `${name}-classpath.txt`)
  run('mvn', ['-q', '-B', '-f', join(folder, 'pom.xml'), 'dependency:build-classpath', `-Dmdep.outputFile=${list}`])
  const sources = join(folder, 'src', 'main', 'java', 'lakefold', 'bench')
  const files = readdirSync(sources).map((file) => join(sources, file))
  run('javac', ['-nowarn', '-d', join(cache, `${name}-classes`), '-cp', readFileSync(list, 'utf8'), ...files])
}

/** Runs `make` unless `.cache/<name>.ok` says that it was done. */
function once(name, make) {
  const marker = join(cache, `${name}.ok`)
  if (existsSync(marker)) return
  console.error(`bench: setting up ${name}`)
  make()
  writeFileSync(marker, '')
}

const python = () => join(cache, 'bench-venv', 'bin', 'python')

const pip = [
  'duckdb==1.4.4',
  'duckdb-ext-iceberg',
  'duckdb-ext-avro',
  'duckdb-ext-tpch',
  'pyiceberg[sql-sqlite,pyarrow]==0.12.0',
]

/** Installs what the named peers need; the tables need Python and Java in any case. */
export function setUp(peers, { paimon = false } = {}) {
  mkdirSync(tables, { recursive: true })
  once('bench-python', () => {
    run('python3', ['-m', 'venv', join(cache, 'bench-venv')])
    run(python(), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...pip])
  })
  once('bench-java', () => compile('java'))
  if (peers.has('iceberg-rust')) {
    once('bench-iceberg-rust', () =>
      run('cargo', [
        'build',
        '--release',
        '--manifest-path',
        join(bench, 'peers', 'iceberg-rust', 'Cargo.toml'),
        '--target-dir',
        join(cache, 'iceberg-peer'),
      ]),
    )
  }
  if (paimon) once('bench-java-paimon', () => compile('java-paimon'))
  if (peers.has('pypaimon') || peers.has('pypaimon-rust')) {
    once('bench-paimon-python', () => {
      const venv = join(cache, 'paimon-venv')
      run('python3', ['-m', 'venv', venv])
      const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check']
      run(join(venv, 'bin', 'python'), [...install, 'pypaimon==2.1.0', 'pypaimon-rust==0.4.0'])
    })
  }
  if (peers.has('bare')) run('cargo', ['build', '--release', '-q', '-p', 'lakefold-decode', '--example', 'bare'])
  if (peers.has('hyparquet')) {
    once('bench-hyparquet', () => {
      const dir = join(cache, 'hyparquet')
      mkdirSync(dir, { recursive: true })
      cpSync(join(bench, 'peers', 'hyparquet.mjs'), join(dir, 'hyparquet.mjs'))
      writeFileSync(join(dir, 'package.json'), '{"private":true,"type":"module"}')
      run('npm', ['install', '--silent', 'hyparquet', 'hyparquet-compressors'], { cwd: dir })
    })
  }
}

const byJava = {
  lineitem_dv: () => javaTable('deletes', tables, metadata('lineitem')),
  lineitem_pos: () => javaTable('deletes', tables, metadata('lineitem')),
  lineitem_eq: () => javaTable('deletes', tables, metadata('lineitem')),
  plan_200x500: () => javaTable('plan', tables, 'plan_200x500', '200', '500'),
  plan_200x5000: () => javaTable('plan', tables, 'plan_200x5000', '200', '5000'),
  plan_200x500_deletes: () => javaTable('plan', tables, 'plan_200x500_deletes', '200', '500', 'deletes'),
}

function javaTable(...args) {
  run('java', ['-cp', classpath(), 'lakefold.bench.MakeTables', ...args])
}

/** Makes a table unless it is there. */
export function makeTable(name) {
  if (name.startsWith('lineitem_')) makeTable('lineitem')
  if (existsSync(join(tables, name, 'metadata'))) return
  console.error(`bench: making ${name}`)
  if (byJava[name]) byJava[name]()
  else run(python(), [join(bench, 'make', 'tables.py'), tables, name])
}

/** The newest metadata file of a table. */
export function metadata(name) {
  const dir = join(tables, name, 'metadata')
  const version = (file) => Number(/^v?(\d+)/.exec(file)?.[1] ?? -1)
  const files = readdirSync(dir).filter((file) => file.endsWith('.metadata.json'))
  return join(dir, files.sort((a, b) => version(b) - version(a))[0])
}

/** The Parquet data files of a table, in order of their names. */
export function dataFiles(name) {
  const dir = join(tables, name, 'data')
  return readdirSync(dir)
    .filter((file) => file.endsWith('.parquet'))
    .sort()
    .map((file) => join(dir, file))
}

const warehouse = join(tables, 'bench.db')

/** The folder of a Paimon table. */
export const paimonTable = (name) => join(warehouse, name)

/** Makes a Paimon table by Paimon's own writer, unless it is there. */
export function makePaimonTable(name) {
  const done = join(warehouse, `${name}.done`)
  if (existsSync(done)) return
  console.error(`bench: making ${name}`)
  rmSync(paimonTable(name), { recursive: true, force: true })
  run('java', ['-Xmx4g', '-cp', paimonClasspath(), 'lakefold.bench.MakePaimonTables', tables, name])
  writeFileSync(done, '')
}

/** The Iceberg metadata that Paimon wrote beside a table. */
export const besidePaimon = (name) => metadata(join('bench.db', name))
