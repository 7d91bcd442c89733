// npm test: everything that must hold before a change goes in. Runs all steps, also after one failed, and sums up at the end.
import { run } from './run.mjs'
import { root, setup } from './setup.mjs'

const npx = (...args) => ['npx', ['--no-install', ...args]]

const STEPS = [
  { name: 'lint', command: npx('biome', 'lint', '--error-on-warnings', '.') },
  { name: 'format', command: npx('biome', 'format', '.') },
  { name: 'types', command: npx('tsc', '-p', '.') },
  { name: 'imports', command: npx('depcruise', '--config', '.dependency-cruiser.cjs', 'ts') },
  { name: 'rustfmt', command: ['cargo', ['fmt', '--all', '--check']] },
  { name: 'clippy', command: ['cargo', ['clippy', '--workspace', '--all-targets', '--', '-D', 'warnings']] },
  { name: 'rust tests', command: ['cargo', ['test', '--workspace']], summary: rustSummary },
  { name: 'unit tests', command: npx('vitest', 'run'), summary: vitestSummary },
  { name: 'other nodes', command: ['node', ['scripts/other-nodes.mjs']], summary: nodesSummary },
  { name: 'conformance', command: ['npm', ['run', '--silent', 'conformance']], summary: lastLine },
]

/** One line for all test binaries of the workspace. */
function rustSummary(text) {
  let [passed, failed] = [0, 0]
  for (const match of text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)) {
    passed += Number(match[1])
    failed += Number(match[2])
  }
  return [`cargo test: ${passed} passed, ${failed} failed`]
}

function vitestSummary(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes
  const plain = text.replace(/\u001b\[[\d;]*m/g, '')
  return [...plain.matchAll(/^ +(?:Test Files|Tests) .*$/gm)].map((match) => `vitest: ${match[0].trim()}`)
}

function nodesSummary(text) {
  return [...text.matchAll(/^Node \d+: .*$/gm)].map((match) => match[0])
}

function lastLine(text) {
  return [text.trimEnd().split('\n').at(-1)]
}

async function main() {
  await setup()
  const failed = []
  const summary = []
  for (const step of STEPS) {
    process.stdout.write(`\n== ${step.name}\n`)
    const started = Date.now()
    const { code, text } = await run(...step.command, { cwd: root, env: { ...process.env, FORCE_COLOR: '0' } })
    const seconds = ((Date.now() - started) / 1000).toFixed(0)
    process.stdout.write(`== ${step.name}: ${code === 0 ? 'ok' : `FAILED (exit code ${code})`}, ${seconds} s\n`)
    if (code !== 0) failed.push(step.name)
    if (step.summary) summary.push(...step.summary(text))
  }
  process.stdout.write(`\n${failed.length === 0 ? 'all steps passed' : `failed: ${failed.join(', ')}`}\n`)
  process.stdout.write(`${summary.join('\n')}\n`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
