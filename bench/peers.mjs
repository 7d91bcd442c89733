// The peers as child processes that answer one JSON line for each request line.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bench, cache, classpath } from './setup.mjs'

const python = join(cache, 'bench-venv', 'bin', 'python')

const commands = {
  lakefold: () => ['node', [join(bench, 'peers', 'lakefold.mjs')]],
  'iceberg-rust': () => [join(cache, 'iceberg-peer', 'release', 'iceberg-peer'), []],
  pyiceberg: () => [python, [join(bench, 'peers', 'python.py')]],
  duckdb: () => [python, [join(bench, 'peers', 'python.py')]],
  bare: () => [join(bench, '..', 'target', 'release', 'examples', 'bare'), []],
  hyparquet: () => ['node', [join(cache, 'hyparquet', 'hyparquet.mjs')]],
  java: () => ['java', ['-Xmx4g', '-cp', classpath(), 'lakefold.bench.Plan']],
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

  /** Sends one request; the answer is `{ ms, check, peak }` or `{ error }`. */
  async ask(request) {
    this.child.stdin.write(
      this.name === 'java'
        ? `${request.metadata}|${request.filter ? JSON.stringify(request.filter) : '-'}\n`
        : `${JSON.stringify({ ...request, peer: this.name })}\n`,
    )
    const answer = await Promise.race([this.lines.next(), this.failure])
    if (answer.error) return answer
    if (answer.done) return { error: 'no answer' }
    if (this.name === 'java') {
      const [check, ms] = answer.value.split(' ').map(Number)
      return { check, ms }
    }
    return JSON.parse(answer.value)
  }

  stop() {
    this.child.kill()
  }
}
