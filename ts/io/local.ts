import { randomUUID } from 'node:crypto'
import fs, { closeSync, constants, fstatSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { throwIfAborted } from '../base/abort.js'
import { LakefoldError } from '../base/errors.js'
import type { ByteRange, FileIO } from './file-io.js'
import { locationRewriter } from './rewrite.js'

/** Metadata files of this size do not fit one buffer of every Node release; data files are not read here. */
const MAX_WHOLE_FILE = 2 ** 31 - 1

/** Opening a named pipe must not wait for its writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export interface LocalFileIOOptions {
  /** Prefixes of locations, as metadata spells them, and what stands in their place: for tables that were moved or copied. */
  rewriteLocations?: Readonly<Record<string, string>>
}

/** Files of the local file system, by plain path or `file:` URL. Paths are taken as they are: `%20` is no blank. */
export class LocalFileIO implements FileIO {
  private readonly rewrite: (location: string) => string

  constructor(options: LocalFileIOOptions = {}) {
    this.rewrite = locationRewriter(options.rewriteLocations ?? {})
  }

  resolve(location: string): string {
    const path = this.rewrite(location)
    const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(path)?.[1]
    if (scheme !== undefined) {
      throw new LakefoldError('UNSUPPORTED', `${location}: there is no storage for "${scheme}:" locations`, {
        context: { file: location, scheme },
      })
    }
    return resolve(path)
  }

  async read(location: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    throwIfAborted(signal)
    const path = this.resolve(location)
    let file: number | undefined
    try {
      // What the kernel knows of an open file is told without a thread: each hop to one costs more than the call.
      file = await open(path, READ)
      const info = fstatSync(file)
      // A pipe or device would never end.
      if (!info.isFile())
        throw new LakefoldError('IO_ERROR', `${location} is not a file`, { context: { file: location } })
      const { offset, length } = range ?? { offset: 0, length: info.size }
      if (!(offset >= 0 && length >= 0 && offset + length <= info.size)) {
        throw new LakefoldError(
          'CORRUPT_FILE',
          `${location} has ${info.size} bytes; bytes ${offset} to ${offset + length} are not in it`,
          { context: { file: location, offset, length, size: info.size } },
        )
      }
      if (length > MAX_WHOLE_FILE) {
        throw new LakefoldError('LIMIT_EXCEEDED', `${location}: ${length} bytes are too many to read at once`, {
          context: { file: location, length },
        })
      }
      return await readFully(file, location, offset, length, signal)
    } catch (error) {
      throw asFileError(error, location, path)
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  async exists(location: string): Promise<boolean> {
    const path = this.resolve(location)
    try {
      await stat(path)
      return true
    } catch (error) {
      const failure = asFileError(error, location, path)
      if (failure.code === 'FILE_NOT_FOUND') return false
      throw failure
    }
  }

  async list(folder: string): Promise<readonly string[]> {
    const path = this.resolve(folder)
    try {
      return (await readdir(path)).sort()
    } catch (error) {
      throw asFileError(error, folder, path)
    }
  }

  async size(location: string): Promise<number> {
    const path = this.resolve(location)
    try {
      return (await stat(path)).size
    } catch (error) {
      throw asFileError(error, location, path)
    }
  }

  async write(location: string, bytes: Uint8Array): Promise<void> {
    const path = this.resolve(location)
    const unfinished = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(unfinished, bytes)
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined)
      throw asFileError(error, location, path)
    }
  }

  async remove(location: string): Promise<void> {
    const path = this.resolve(location)
    try {
      await rm(path, { force: true })
    } catch (error) {
      throw asFileError(error, location, path)
    }
  }

  async modified(location: string): Promise<bigint> {
    const path = this.resolve(location)
    try {
      return (await stat(path, { bigint: true })).mtimeMs
    } catch (error) {
      throw asFileError(error, location, path)
    }
  }
}

/** Whether each read gives memory that is nobody else's; not so of a class made of ours, which may keep what it reads. */
export function readsAnew(io: FileIO): boolean {
  return io.constructor === LocalFileIO
}

const open = promisify(fs.open)
const read = promisify(fs.read)

const CHUNK = 8 * 1024 * 1024

async function readFully(
  file: number,
  location: string,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await read(file, bytes, done, Math.min(CHUNK, length - done), offset + done)
    throwIfAborted(signal)
    if (bytesRead === 0) {
      throw new LakefoldError('IO_ERROR', `${location} became shorter while it was read`, {
        context: { file: location },
        retryable: true,
      })
    }
    done += bytesRead
  }
  return bytes
}

/** The error of a file system call, in our words. */
function asFileError(error: unknown, location: string, path: string): LakefoldError {
  if (LakefoldError.is(error)) return error
  const reason = (error as NodeJS.ErrnoException).code
  const options = { context: { file: location, path, reason }, cause: error }
  const opened = path === location ? '' : ` (opened as ${path})`
  switch (reason) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new LakefoldError('FILE_NOT_FOUND', `${location} does not exist${opened}`, options)
    case 'EACCES':
    case 'EPERM':
      return new LakefoldError('ACCESS_DENIED', `${location} may not be read${opened}`, options)
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
      return new LakefoldError('IO_ERROR', `${location}: ${reason}${opened}`, { ...options, retryable: true })
    default:
      return new LakefoldError('IO_ERROR', `${location}: ${(error as Error).message}${opened}`, options)
  }
}
