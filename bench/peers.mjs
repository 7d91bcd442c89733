// The peers as child processes that answer one JSON line for each request line.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bench, cache, classpath, paimonClasspath } from './setup.mjs'

const python = join(cache, 'bench-venv', 'bin', 'python')
const paimonPython = () => [join(cache, 'paimon-venv', 'bin', 'python'), [join(bench, 'peers', 'paimon.py')]]
const lakefold = () => ['node', [join(bench, 'peers', 'lakefold.mjs')]]

const commands = {
  lakefold,
  'as iceberg': lakefold,
  'iceberg-rust': () => [join(cache, 'iceberg-peer', 'release', 'iceberg-peer'), []],
  pyiceberg: () => [python, [join(bench, 'peers', 'python.py')]],
  duckdb: () => [python, [join(bench, 'peers', 'python.py')]],
  bare: () => [join(bench, '..', 'target', 'release', 'examples', 'bare'), []],
  hyparquet: () => ['node', [join(cache, 'hyparquet', 'hyparquet.mjs')]],
  java: () => ['java', ['-Xmx4g', '-cp', classpath(), 'lakefold.bench.Plan']],
  'paimon-java': () => ['java', ['-Xmx4g', '-cp', paimonClasspath(), 'lakefold.bench.PaimonPeer']],
  pypaimon: paimonPython,
  'pypaimon-rust': paimonPython,
}

/** A filter as Paimon's Java is told of it: the value that `id` equals, or what a column of ints is less than. */
function condition(filter) {
  if (!filter) return '-'
  return filter.type === 'lt' ? `${filter.term}<${filter.value}` : filter.value
}

/** How requests and answers look where they are not JSON. */
const lines = {
  java: {
    request: ({ metadata, filter }) => `${metadata}|${filter ? JSON.stringify(filter) : '-'}`,
    answer: (line) => {
      const [check, ms] = line.split(' ').map(Number)
      return { check, ms }
    },
  },
  'paimon-java': {
    request: ({ work, metadata, threads, filter, sums }) =>
      [work, metadata, threads, condition(filter), sums ? 'sums' : '-'].join('|'),
    answer: (line) => {
      const [check, ms, sums] = line.split(' ')
      return { check: Number(check), ms: Number(ms), sums: sums === '[]' ? undefined : sums.slice(1, -1).split(',') }
    },
  },
}

/** One running peer. */
export class Peer {
  constructor(name) {
    this.name = name
    const [command, args] = commands[name]()
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    this.failure = new Promise((resolve) => {
      this.child.on('error', (error) => resolve({ error: error.message }))
      this.child.on('exit', (code) => resolve({ error: `exited with ${code}` }))
    })
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
    this.child.stdin.on('error', () => {})
  }

  /** Sends one request; the answer is `{ ms, check, sums, peak }` or `{ error }`. */
  async ask(asked) {
    const request = lines[this.name]?.request ?? ((asked) => JSON.stringify({ ...asked, peer: this.name }))
    this.child.stdin.write(`${request(asked)}\n`)
    const answer = await Promise.race([this.lines.next(), this.failure])
    if (answer.error) return answer
    if (answer.done) return { error: 'no answer' }
    return (lines[this.name]?.answer ?? JSON.parse)(answer.value)
  }

  stop() {
    this.child.kill()
  }
}
