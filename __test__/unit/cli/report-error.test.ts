import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'

import { LakefoldError } from '../../../ts/base/errors.js'
import { exitCodeOf, reportError, UsageError } from '../../../ts/cli/report-error.js'

function report(error: unknown): string[] {
  let text = ''
  reportError(error, { write: (chunk: string) => (text += chunk) })
  expect(text.endsWith('\n')).toBe(true)
  return text.trimEnd().split('\n')
}

describe('errors on the command line', () => {
  it('take two lines: what, then where and what to do', () => {
    const lines = report(new LakefoldError('FILE_NOT_FOUND', 'no such\nfile', { context: { file: '/lake/x.parquet' } }))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toBe('error FILE_NOT_FOUND: no such file')
    expect(lines[1]).toMatch(/^file: \/lake\/x\.parquet; .*--rewrite/)
  })
  it('take two lines too if they are not ours', () => {
    expect(report(new Error('odd'))).toHaveLength(2)
    expect(report(new UsageError('odd'))).toHaveLength(2)
    expect(report(new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'"))).toHaveLength(2)
  })
  it('exit with 2 for usage, with 1 for the rest, with 0 for help', () => {
    expect(exitCodeOf(new UsageError('x'))).toBe(2)
    expect(exitCodeOf(new CommanderError(1, 'commander.unknownOption', 'x'))).toBe(2)
    expect(exitCodeOf(new CommanderError(0, 'commander.helpDisplayed', 'x'))).toBe(0)
    expect(exitCodeOf(new LakefoldError('CORRUPT_FILE', 'x'))).toBe(1)
  })
})
