import { throwIfAborted } from '../base/abort.js'
import { readSettings, type ScanOptions } from './options.js'
import { NativeScan } from './scan.js'

/** Counts rows of tasks that share delete files; to be closed. */
export interface Counter {
  /** The rows that a task gives, by reading as little as possible. */
  countRows(taskJson: string): Promise<bigint>
  /** The rows that the positional deletes of a task hide, without opening its data file. */
  countDeletedPositions(taskJson: string): Promise<bigint>
  close(): void
}

/** A counter; delete files are read once for all its tasks. A signal cancels it. */
export function openCounter(options: ScanOptions = {}): Counter {
  const settings = readSettings(options)
  throwIfAborted(settings.signal)
  const scan = new NativeScan(settings)
  const cancel = () => scan.cancel()
  settings.signal?.addEventListener('abort', cancel, { once: true })
  return {
    countRows: (taskJson) => scan.countRows(taskJson),
    countDeletedPositions: (taskJson) => scan.countDeletedPositions(taskJson),
    close() {
      settings.signal?.removeEventListener('abort', cancel)
      scan.close()
    },
  }
}

/** The rows that one task gives. For several tasks, {@link openCounter} reads shared delete files once. */
export async function countRows(taskJson: string, options?: ScanOptions): Promise<bigint> {
  const counter = openCounter(options)
  try {
    return await counter.countRows(taskJson)
  } finally {
    counter.close()
  }
}
