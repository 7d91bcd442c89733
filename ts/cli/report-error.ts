import { CommanderError } from 'commander'

import { LakefoldError } from '../base/errors.js'

/** A command line that makes no sense. */
export class UsageError extends Error {}

const HINTS: { readonly [code: string]: string } = {
  UNKNOWN_COLUMN: 'lakefold schema <table> lists the columns',
  UNKNOWN_SNAPSHOT: 'lakefold snapshots <table> lists the snapshots',
  UNKNOWN_REF: 'lakefold refs <table> lists branches and tags',
  INVALID_LITERAL: 'write the value as the column has it; lakefold schema <table> shows its type',
  INVALID_FILTER: 'for example --where "id > 5 and name = \'x\'", or --filter \'[">","id",5]\'',
  FILE_NOT_FOUND: 'if the table was moved, --rewrite from=to maps the locations in its metadata',
  ACCESS_DENIED: 'check the permissions of the file',
  CORRUPT_FILE: 'the file is damaged: restore it, or read another snapshot with --snapshot',
  NATIVE_LOAD_FAILED: 'reinstall the package on this platform, or build it with npm run build',
}

/** The exit code of an error: 2 for a wrong command line, 1 for everything else, 0 where help was asked for. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  return error instanceof UsageError ? 2 : 1
}

/** Writes two lines: what happened; where, or what to do about it. */
export function reportError(error: unknown, out: { write(text: string): unknown }): void {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return
    out.write(`${error.message}\nlakefold --help and lakefold <command> --help show what can be asked\n`)
    return
  }
  if (error instanceof UsageError) {
    out.write(`error: ${oneLine(error.message)}\nlakefold <command> --help shows what can be asked\n`)
    return
  }
  if (LakefoldError.is(error)) {
    out.write(`error ${error.code}: ${oneLine(error.message)}\n${where(error)}\n`)
    return
  }
  const { message, stack } = error as Error
  out.write(`error: ${oneLine(message ?? String(error))}\n${stack?.split('\n')[1]?.trim() ?? 'a fault of lakefold'}\n`)
}

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ')

function where(error: LakefoldError): string {
  const context = Object.entries(error.context).filter(([, value]) => value !== undefined && !isNested(value))
  const facts = context.map(([name, value]) => `${name}: ${oneLine(String(value))}`)
  const hint = HINTS[error.code]
  return [...facts, ...(hint === undefined ? [] : [hint])].join('; ') || 'no more is known'
}

const isNested = (value: unknown) => typeof value === 'object' && value !== null
