/** What went wrong, for programs. Codes are stable; messages are for people and may change. */
export type ErrorCode =
  | 'UNKNOWN_COLUMN'
  | 'INVALID_LITERAL'
  | 'INVALID_FILTER'
  | 'INVALID_ARGUMENT'
  | 'UNKNOWN_SNAPSHOT'
  | 'UNKNOWN_REF'
  | 'FILE_NOT_FOUND'
  | 'CORRUPT_FILE'
  | 'UNSUPPORTED'
  | 'CANCELLED'
  | 'LIMIT_EXCEEDED'
  | 'ACCESS_DENIED'
  | 'IO_ERROR'
  | 'NATIVE_LOAD_FAILED'
  | 'INTERNAL'

export interface LakefoldErrorOptions {
  /** The file, field and value at fault, by name: `{ file, field, value, ... }`. */
  context?: Record<string, unknown>
  /** Whether the same call may succeed if tried again. Default false. */
  retryable?: boolean
  cause?: unknown
}

/** Marks an error as ours across copies of the package, where `instanceof` fails. */
const BRAND = Symbol.for('lakefold.error')

/**
 * Every error that lakefold throws.
 *
 * @example
 * ```ts
 * try {
 *   await openTable('/no/such/table')
 * } catch (error) {
 *   if (LakefoldError.is(error) && error.code === 'FILE_NOT_FOUND') console.log(error.context.file)
 * }
 * ```
 */
export class LakefoldError extends Error {
  readonly code: ErrorCode
  readonly context: Record<string, unknown>
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, options: LakefoldErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LakefoldError'
    this.code = code
    this.context = options.context ?? {}
    this.retryable = options.retryable ?? false
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Whether `value` is a LakefoldError, also one of another copy of the package. */
  static is(value: unknown): value is LakefoldError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
  }
}
