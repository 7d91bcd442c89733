import { LakefoldError } from './errors.js'

/** What a cancelled call rejects with; the reason given to `abort()` is its cause. */
export function cancelled(signal: AbortSignal): LakefoldError {
  return new LakefoldError('CANCELLED', 'The operation was cancelled', { cause: signal.reason })
}

/** Whether `value` can be used as an AbortSignal, also one of another realm. */
export function isSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value
}

/** Throws CANCELLED if `signal` has been aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal)
}

/** Settles as `work` does, or rejects with CANCELLED as soon as `signal` is aborted. Leaves no listener behind. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  if (signal.aborted) {
    // Its outcome no longer matters to anyone.
    work.catch(() => {})
    throw cancelled(signal)
  }
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(cancelled(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort!)
  }
}
