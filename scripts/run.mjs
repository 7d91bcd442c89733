// Runs one command with its output shown; returns its exit code and what it wrote to a piped stdout.
import { spawn } from 'node:child_process'

export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (!options.quiet) process.stdout.write(chunk)
    })
    child.on('error', (error) => {
      process.stderr.write(`${command}: ${error.message}\n`)
      resolve({ code: 127, text })
    })
    child.on('close', (code) => resolve({ code: code ?? 1, text }))
  })
}
