import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Mutations a run; LAKEFOLD_FUZZ makes it longer, LAKEFOLD_FUZZ_SEED moves it. */
const TOTAL = Number(process.env.LAKEFOLD_FUZZ ?? 400)
const FIRST = Number(process.env.LAKEFOLD_FUZZ_SEED ?? 1)
const BATCH = 100
/** A mutation that takes longer than this hangs. */
const QUIET_MS = 60_000
/** Lengths in damaged files must not become memory. */
const MOST_RSS_KIB = 2 * 1024 * 1024

interface Outcome {
  readonly code: number | null
  readonly signal: string | null
  readonly lines: string[]
}

function runBatch(from: number, to: number): Promise<Outcome> {
  const script = join(import.meta.dirname, 'batch.ts')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', script, `${from}`, `${to}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    let watchdog = setTimeout(() => child.kill('SIGKILL'), QUIET_MS)
    const heard = (chunk: Buffer) => {
      text += chunk
      clearTimeout(watchdog)
      watchdog = setTimeout(() => child.kill('SIGKILL'), QUIET_MS)
    }
    child.stdout.on('data', heard)
    child.stderr.on('data', heard)
    child.on('close', (code, signal) => {
      clearTimeout(watchdog)
      resolve({ code, signal, lines: text.trimEnd().split('\n') })
    })
  })
}

describe('a damaged file gives an error of ours or rows, and the process lives', () => {
  for (let from = FIRST; from < FIRST + TOTAL; from += BATCH) {
    const to = Math.min(from + BATCH, FIRST + TOTAL)
    it(`mutations ${from} to ${to - 1}`, async () => {
      const { code, signal, lines } = await runBatch(from, to)
      const last = lines.slice(-6).join('\n')
      expect({ code, signal, last: code === 0 ? '' : last }).toEqual({ code: 0, signal: null, last: '' })
      const outcomes = lines.filter((line) => line.startsWith('= ')).map((line) => line.slice(2))
      expect(outcomes).toHaveLength(to - from)
      const bad = lines.flatMap((line, i) => (/^= [A-Z]/.test(line) ? [`${lines[i - 1]}: ${line.slice(2)}`] : []))
      expect(bad).toEqual([])
      // Damage that nobody notices would mean that this tests nothing.
      expect(outcomes.filter((outcome) => outcome === 'error').length).toBeGreaterThan((to - from) / 10)
      expect(Number(lines.find((line) => line.startsWith('peak '))?.slice(5))).toBeLessThan(MOST_RSS_KIB)
    }, 600_000)
  }
})
