import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LakefoldError } from '../base/errors.js'
import type { FileIO } from './file-io.js'
import { LocalFileIO } from './local.js'

/**
 * Runs `use` with a path at which native code finds a file whose bytes were read: the file itself in the local file system, of other
 * storage a copy, which only this user can read and which is gone afterwards; errors name the location. IO_ERROR naming the location where it cannot be written.
 */
export async function withLocalPath<T>(
  io: FileIO,
  location: string,
  bytes: Uint8Array,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (io instanceof LocalFileIO) return use(io.resolve(location))
  const { folder, path } = await copy(location, bytes)
  try {
    return await use(path)
  } catch (error) {
    throw renamed(error, path, location)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function copy(location: string, bytes: Uint8Array): Promise<{ readonly folder: string; readonly path: string }> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(tmpdir(), 'lakefold-'))
    const path = join(folder, 'file')
    await writeFile(path, bytes, { mode: 0o600 })
    return { folder, path }
  } catch (cause) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    const { code: reason, message } = cause as NodeJS.ErrnoException
    throw new LakefoldError('IO_ERROR', `${location}: a local copy cannot be written (${message})`, {
      context: { file: location, reason },
      cause,
    })
  }
}

/** An error about the copy as one about what was copied. */
function renamed(error: unknown, path: string, location: string): unknown {
  if (!LakefoldError.is(error) || error.context.file !== path) return error
  const { code, message, context, retryable } = error
  return new LakefoldError(code, message.replaceAll(path, location), {
    context: { ...context, file: location },
    retryable,
    cause: error.cause,
  })
}
