#!/usr/bin/env node
import { buildProgram } from './program.js'
import { exitCodeOf, reportError } from './report-error.js'

try {
  await buildProgram().parseAsync()
} catch (error) {
  reportError(error, process.stderr)
  process.exitCode = exitCodeOf(error)
}
