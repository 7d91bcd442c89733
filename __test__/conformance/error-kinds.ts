import type { CaseError } from './case.js'

/** What the runner needs of an error of the reader. */
export interface ReaderError {
  readonly code: string
  readonly message: string
  readonly context: { readonly [name: string]: unknown }
}

const ARGUMENT = ['INVALID_FILTER', 'INVALID_LITERAL', 'INVALID_ARGUMENT']
const SNAPSHOT = ['UNKNOWN_SNAPSHOT', 'UNKNOWN_REF', 'INVALID_ARGUMENT']

/** Which codes say the same as the reference's message. */
const KINDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/Cannot find ref/, ['UNKNOWN_REF']],
  [/Cannot find snapshot with ID|Cannot find a snapshot older/, ['UNKNOWN_SNAPSHOT']],
  [/Cannot find the (starting|end) snapshot|is not an? (parent )?ancestor/, SNAPSHOT],
  [/Cannot override (ref|snapshot)/, SNAPSHOT],
  [/Cannot find field/, ['UNKNOWN_COLUMN']],
  [/Failed to open input stream/, ['FILE_NOT_FOUND']],
  [/Delete files are currently not supported/, ['UNSUPPORTED']],
]

/** The error as ours, or undefined: recognised by its brand, as users do. */
export function readerError(error: unknown): ReaderError | undefined {
  const branded = typeof error === 'object' && error !== null && Symbol.for('lakefold.error') in error
  return branded ? (error as ReaderError) : undefined
}

/** Undefined if the error is of the kind that the case asks for. */
export function compareError(expected: CaseError, error: unknown): string | undefined {
  const ours = readerError(error)
  if (ours === undefined) return `not a LakefoldError: ${String(error)}`
  const kinds = KINDS.find(([pattern]) => pattern.test(expected.message))?.[1] ?? [...ARGUMENT, 'UNKNOWN_COLUMN']
  if (kinds.includes(ours.code)) return undefined
  return `error ${ours.code} (${ours.message}), not ${kinds.join(' or ')} (${expected.message.slice(0, 100)})`
}

/** Whether the error's message or context holds `name`. */
export function names(error: ReaderError, name: string): boolean {
  const context = JSON.stringify(error.context, (_, v) => (typeof v === 'bigint' ? v.toString() : v))
  return error.message.includes(name) || context.includes(name)
}
