import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, LakefoldError } from './errors.js'

/** What every native function answers with: errors would lose their code on the way out of a worker. */
export type Envelope<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly code: ErrorCode
      readonly message: string
      readonly context: Readonly<Record<string, string>>
    }

/** A batch that waits in the ledger; `bytes` is its decoded size. */
export interface Ticket {
  readonly ticket: number
  readonly rows: number
  readonly bytes: number
}

/** The memory of a batch, in depth-first field order. */
export interface Claim {
  readonly rows: number
  /** Length and null count of each array. */
  readonly nodes: ArrayLike<number>
  /** Index into `buffers`, offset and length in bytes of each buffer; index -1: no bytes. */
  readonly slots: ArrayLike<number>
  readonly buffers: readonly ArrayBuffer[]
  /** For each dictionary array, the id of its values. */
  readonly dictionaries: readonly number[]
}

/** Decoded bytes: alive (unclaimed, or claimed and not yet freed), the most that ever were, and unclaimed. */
export interface MemoryStats {
  readonly live: number
  readonly peak: number
  readonly unclaimed: number
}

/** Those of one scan; `working` is what decoding holds beside them: read and not yet decoded, and pages being decoded. */
export interface ScanMemory extends MemoryStats {
  readonly working: number
}

/** Those of the process; `kept` are blocks that were freed and wait for the next batches. */
export interface ProcessMemory extends MemoryStats {
  readonly kept: number
}

/** What the process opened, read and skipped since it started. */
export interface Counters {
  readonly filesOpened: number
  readonly bytesRead: number
  readonly reads: number
  readonly groupsRead: number
  readonly groupsSkipped: number
  readonly rowsSkipped: number
}

/** Blocks of an Avro manifest, where in the file they begin, and what to make of them. */
export interface ManifestBlocks {
  readonly bytes: Uint8Array
  readonly offset: number
  readonly file: string
  readonly codec: string
  readonly sync: Uint8Array
  readonly program: string
  /** Whether nobody changes the bytes any more: others are copied first. */
  readonly settled: boolean
}

/** Records that the addon holds. */
export type NativeRecords = { readonly __records: never }

/** The functions of the native addon. Those of tasks block: they are for worker threads. */
export interface NativeFunctions {
  scanOpen(optionsJson: string): number
  scanCancel(scan: number): void
  scanClose(scan: number): void
  scanMemory(scan: number): ScanMemory
  taskOpen(scan: number, taskJsons: readonly string[]): number
  taskNext(scan: number, task: number, maxBytes: number): { batches: readonly Ticket[]; done: boolean }
  taskClose(scan: number, task: number): void
  countRows(scan: number, taskJson: string): bigint
  countDeletedPositions(scan: number, taskJson: string): bigint
  claim(ticket: number): Claim
  /** To be had until the batches that name it are settled; with `copy`, in memory of V8's own. */
  claimDictionary(id: number, copy: boolean): Claim
  /** The dictionaries that a batch names are no longer wanted for it. Returns those that no batch will name again. */
  settleDictionaries(ids: readonly number[]): readonly number[]
  copyOut(ticket: number): Claim
  discard(ticket: number): void
  detach(buffers: readonly ArrayBuffer[]): void
  externalBuffers(): boolean
  /** Columns of strings with the ids in `dictionaries` are such. */
  arrowSchema(projectionJson: string, dictionaries: readonly number[]): Buffer
  importIpc(scan: number, bytes: Uint8Array, offset: number, length: number): readonly Ticket[]
  parquetOpen(path: string, projectionJson: string, dictionaries: readonly number[]): number
  parquetWrite(writer: number, ticket: number, rows: number): void
  parquetFinish(writer: number): void
  parquetAbort(writer: number): void
  /** At most `maxLength` bytes, or LIMIT_EXCEEDED; broken data is CORRUPT_FILE. */
  zstdDecompress(bytes: Uint8Array, maxLength: number): Buffer
  /** A raw block without checksum; bounds as {@link NativeFunctions.zstdDecompress}. */
  snappyDecompress(bytes: Uint8Array, maxLength: number): Buffer
  /** The records of blocks of an Avro manifest as columns in one buffer; see `decode` in crates/manifest. */
  manifestDecode(blocks: ManifestBlocks): Buffer
  /** As {@link NativeFunctions.manifestDecode}, on a thread of Node's pool. */
  manifestDecodeAsync(blocks: ManifestBlocks): Promise<Buffer>
  /** As {@link NativeFunctions.manifestDecodeAsync}, and the records, of which some are to be decoded later. */
  manifestGlanceAsync(blocks: ManifestBlocks): Promise<{ columns: Buffer; records: NativeRecords }>
  /** The columns of the records at these places, which ascend; it takes the records, so that no other call can. */
  manifestSelect(records: NativeRecords, places: Uint32Array, program: string): Buffer
  /** As {@link NativeFunctions.manifestSelect}, on a thread of Node's pool. */
  manifestSelectAsync(records: NativeRecords, places: Uint32Array, program: string): Promise<Buffer>
  counters(): Counters
  memory(): ProcessMemory
  /** Makes V8 collect garbage, for a reader that may hold `limit` bytes. */
  relieve(limit: number): void
  /** Lets V8 count the batches that were claimed, as it does not while a reader watches over them. Returns its count, bytes. */
  recount(): number
  version(): string
}

/** The addon as it is: every function answers with an envelope, or a promise of one. */
export type RawAddon = {
  readonly [K in keyof NativeFunctions]: (
    ...args: Parameters<NativeFunctions[K]>
  ) => ReturnType<NativeFunctions[K]> extends Promise<infer T>
    ? Promise<Envelope<T>>
    : Envelope<ReturnType<NativeFunctions[K]>>
}

/** The addon with its envelopes opened: functions return their value or throw a {@link LakefoldError}. */
export type Native = Readonly<NativeFunctions>

/** The value of an envelope; throws the error in it. */
export function unwrap<T>(envelope: Envelope<T>): T {
  if (envelope.ok) return envelope.value
  const { code, message, context } = envelope
  const file = context.file
  const text = file === undefined || message.includes(file) ? message : `${message}: ${file}`
  throw new LakefoldError(code, text, { context: { ...context }, retryable: code === 'IO_ERROR' })
}

/** The platform's name in the names of addon files and packages, such as `linux-x64-gnu`. */
function platformName(): string {
  const { platform, arch } = process
  if (platform === 'win32') return `${platform}-${arch}-msvc`
  if (platform !== 'linux') return `${platform}-${arch}`
  return `${platform}-${arch}-${isMusl() ? 'musl' : 'gnu'}`
}

/** By the loader that Node's own file names at its beginning: the report, which tells too, takes 20 ms. */
function isMusl(): boolean {
  const loader = /\/ld-(musl|linux)/.exec(beginning(process.execPath))?.[1]
  if (loader !== undefined) return loader === 'musl'
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  return report?.header?.glibcVersionRuntime === undefined
}

function beginning(path: string): string {
  const bytes = Buffer.alloc(4096)
  try {
    const fd = openSync(path, 'r')
    try {
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

/** A local build lies in the package's own folder: one up from `dist`, two up from `ts/base`. */
function localBuild(name: string): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url))
  return [join(here, '..'), join(here, '..', '..')].map((folder) => join(folder, name)).find((path) => existsSync(path))
}

let found: { readonly path: string; readonly native: Native } | undefined

function load(): { readonly path: string; readonly native: Native } {
  // Not `require`: the CommonJS build uses that name to find this file.
  const requireFrom = createRequire(import.meta.url)
  const platform = platformName()
  const tried: string[] = []
  try {
    let path = process.env.LAKEFOLD_NATIVE_PATH ?? localBuild(`lakefold.${platform}.node`)
    if (path === undefined) {
      tried.push(`lakefold.${platform}.node beside the package`, `the package lakefold-${platform}`)
      path = requireFrom.resolve(`lakefold-${platform}`)
    }
    tried.push(path)
    const raw = requireFrom(path) as RawAddon
    return { path, native: open(raw) }
  } catch (cause) {
    if (LakefoldError.is(cause)) throw cause
    throw new LakefoldError(
      'NATIVE_LOAD_FAILED',
      `The native part of lakefold for ${platform} (Node ${process.version}) could not be loaded. ` +
        `Install it with "npm install lakefold-${platform}" (npm leaves it out with --omit=optional or a lock file ` +
        `made on another platform), or, in a checkout of the sources, build it with "npm run build:native". ` +
        `Tried: ${tried.join(', ')}`,
      { context: { platform, node: process.version, tried }, cause },
    )
  }
}

function open(raw: RawAddon): Native {
  const entries = Object.entries(raw).map(([name, fn]) => [
    name,
    (...args: never[]) => {
      const answer = (fn as (...args: never[]) => Envelope<unknown> | Promise<Envelope<unknown>>)(...args)
      return answer instanceof Promise ? answer.then(unwrap) : unwrap(answer)
    },
  ])
  return Object.freeze(Object.fromEntries(entries)) as Native
}

/**
 * The native addon, loaded once and kept: the pages of its batches must outlive every worker.
 * Throws NATIVE_LOAD_FAILED with what to do when this platform's build is missing or broken.
 */
export function native(): Native {
  found ??= load()
  return found.native
}

/** Loads the addon with the package rather than with the first plan. What is wrong is for the first use to say. */
export function preload(): void {
  try {
    native()
  } catch {
    // Filters, for one, do without it.
  }
}

/** The file that {@link native} loaded: workers load the same one, and share its memory. */
export function nativePath(): string {
  native()
  return found!.path
}
