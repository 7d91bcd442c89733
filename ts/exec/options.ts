import { availableParallelism } from 'node:os'
import { isSignal } from '../base/abort.js'
import { LakefoldError } from '../base/errors.js'

/** What a running read reports, at most once for each batch. */
export interface ScanProgress {
  /** Tasks whose rows have all been handed out. */
  readonly tasksDone: number
  /** Rows handed out. */
  readonly rows: number
}

/** How to read; none of it changes which rows come, or their order, but `limit`. */
export interface ScanOptions {
  /**
   * Files, or row groups of a big file, decoded at the same time. Default, also for 0: the number of CPUs. The order
   * of rows does not depend on it.
   */
  readonly numWorkers?: number
  /** Most rows of the whole read. Default: no limit. */
  readonly limit?: number
  /** Most rows in a batch. Default 65,536. */
  readonly batchSize?: number
  /**
   * Most bytes that the reader lets live at a time: batches that wait or that you hold, what decoding works with, and the
   * threads. Default 256 MiB.
   */
  readonly memoryLimit?: number
  /** Whether to check the checksums of pages that have one. Default false. */
  readonly verifyCrc?: boolean
  /** Whether to skip what statistics, bloom filters and dictionaries rule out. Default true. */
  readonly prune?: boolean
  /**
   * Columns of strings, by name, or all, that come as `Dictionary<Utf8, Int32>`: a key in each row, and the values once
   * for all batches of a column chunk. Meant for columns of few values, which files store so: they are decoded faster and
   * take less memory. What a file stores otherwise is encoded first, which costs time. Strings below structs, lists and
   * maps stay as they are. Default false: none.
   */
  readonly dictionaries?: boolean | readonly string[]
  /** Cancels the read. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ScanProgress) => void
}

/** Scan options checked and completed. */
export interface ReadSettings {
  readonly numWorkers: number
  readonly limit: number
  readonly batchSize: number
  readonly memoryLimit: number
  readonly verifyCrc: boolean
  readonly prune: boolean
  readonly dictionaries: boolean | readonly string[]
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((progress: ScanProgress) => void) | undefined
}

const NAMES: ReadonlySet<string> = new Set<keyof ScanOptions>([
  'numWorkers',
  'limit',
  'batchSize',
  'memoryLimit',
  'verifyCrc',
  'prune',
  'dictionaries',
  'signal',
  'onProgress',
])
const MAX_WORKERS = 1024
const MAX_BATCH_SIZE = 2 ** 30
const DEFAULT_MEMORY_LIMIT = 256 * 2 ** 20
const MIN_MEMORY_LIMIT = 2 ** 20

function whole(name: string, value: number | undefined, fallback: number, min: number, max: number): number {
  if (value === undefined) return fallback
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new LakefoldError('INVALID_ARGUMENT', `${name} must be a whole number from ${min} to ${max}, got ${value}`, {
      context: { field: name, value },
    })
  }
  return value
}

/** Refuses an option of the wrong kind by name. */
function wrong(name: string, wanted: string, value: unknown): LakefoldError {
  return new LakefoldError('INVALID_ARGUMENT', `${name} must be ${wanted}, got ${String(value)}`, {
    context: { field: name, value },
  })
}

function flag(name: string, value: boolean | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw wrong(name, 'true or false', value)
  return value
}

function flagOrNames(name: string, value: boolean | readonly string[] | undefined): boolean | readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  if (value !== undefined && typeof value !== 'boolean') throw wrong(name, 'true, false or names of columns', value)
  return value ?? false
}

/** A misspelt option would be a silent default, so unknown ones are refused. */
function checkNames(options: ScanOptions): void {
  if (typeof options !== 'object' || options === null) throw wrong('options', 'an object', options)
  for (const name of Object.keys(options)) {
    if (!NAMES.has(name)) {
      throw new LakefoldError('INVALID_ARGUMENT', `There is no option "${name}"; there are ${[...NAMES].join(', ')}`, {
        context: { field: name },
      })
    }
  }
}

/** Checks options; INVALID_ARGUMENT names the one at fault. */
export function readSettings(options: ScanOptions = {}): ReadSettings {
  checkNames(options)
  const { limit, signal, onProgress } = options
  if (signal !== undefined && !isSignal(signal)) throw wrong('signal', 'an AbortSignal', signal)
  if (onProgress !== undefined && typeof onProgress !== 'function') throw wrong('onProgress', 'a function', onProgress)
  return {
    numWorkers: whole('numWorkers', options.numWorkers, 0, 0, MAX_WORKERS) || availableParallelism(),
    limit: limit === Number.POSITIVE_INFINITY ? limit : whole('limit', limit, Infinity, 0, Number.MAX_SAFE_INTEGER),
    batchSize: whole('batchSize', options.batchSize, 65_536, 1, MAX_BATCH_SIZE),
    memoryLimit: whole(
      'memoryLimit',
      options.memoryLimit,
      DEFAULT_MEMORY_LIMIT,
      MIN_MEMORY_LIMIT,
      Number.MAX_SAFE_INTEGER,
    ),
    verifyCrc: flag('verifyCrc', options.verifyCrc, false),
    prune: flag('prune', options.prune, true),
    dictionaries: flagOrNames('dictionaries', options.dictionaries),
    signal,
    onProgress,
  }
}
