import { cancelled } from './abort.js'

/**
 * Applies `work` to the items with at most `width` at a time and yields the results in the items' order. Leaving the
 * loop, an error or an abort cancels what runs; nothing is started that the order of results does not need next.
 */
export async function* readAhead<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<R>,
  signal?: AbortSignal,
): AsyncGenerator<R> {
  const stop = new AbortController()
  const onAbort = () => stop.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const running: Promise<R>[] = []
  let next = 0
  try {
    while (next < items.length || running.length > 0) {
      if (stop.signal.aborted) throw cancelled(stop.signal)
      while (running.length < width && next < items.length) {
        const started = work(items[next++]!, stop.signal)
        // Its error is thrown when its turn comes; until then nobody waits for it.
        started.catch(() => {})
        running.push(started)
      }
      yield await running.shift()!
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // An error object costs more than a small read: there is none where nothing runs.
    if (running.length > 0) stop.abort()
  }
}
