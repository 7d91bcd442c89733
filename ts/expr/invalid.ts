import { LakefoldError } from '../base/errors.js'
import { showLiteral } from './literal.js'
import { NumberToken } from './number-token.js'

/** What an error shows of a part of a filter. */
function show(value: unknown): string {
  return value instanceof NumberToken ? value.text : showLiteral(value)
}

/** An INVALID_FILTER error about `value`. */
export function invalidFilter(
  message: string,
  value: unknown,
  context: Record<string, unknown> = {},
  cause?: unknown,
): LakefoldError {
  const options = { context: { ...context, value: value instanceof NumberToken ? value.text : value } }
  return new LakefoldError(
    'INVALID_FILTER',
    `${message}: ${show(value)}`,
    cause === undefined ? options : { ...options, cause },
  )
}
