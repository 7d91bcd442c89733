import { LakefoldError } from '../../base/errors.js'
import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { decodeText } from '../../base/text.js'
import type { FileIO } from '../../io/file-io.js'
import { ifThere, namesAfter, type TablePaths } from './paths.js'

/** How far a named streaming reader has come. */
export interface Consumer {
  readonly id: string
  readonly nextSnapshot: bigint
}

/** The ids of the consumers, sorted. */
export function listConsumers(io: FileIO, paths: TablePaths): Promise<readonly string[]> {
  return namesAfter(io, paths.consumerFolder, 'consumer-')
}

/** The consumer, or undefined if there is none of this id; CORRUPT_FILE naming its file where it cannot be read. */
export async function findConsumer(
  io: FileIO,
  paths: TablePaths,
  id: string,
  signal?: AbortSignal,
): Promise<Consumer | undefined> {
  const file = paths.consumer(id)
  const bytes = await ifThere(io.read(file, undefined, signal))
  if (bytes === undefined) return undefined
  return { id, nextSnapshot: new JsonObject(parseJson(decodeText(bytes, file), file), file).long('nextSnapshot') }
}

/** Writes how far a consumer has come, in place of what it had. @throws LakefoldError UNSUPPORTED if the storage takes no files */
export async function writeConsumer(io: FileIO, paths: TablePaths, { id, nextSnapshot }: Consumer): Promise<void> {
  const file = paths.consumer(id)
  if (io.write === undefined) throw readOnly(file)
  await io.write(file, new TextEncoder().encode(`{\n  "nextSnapshot" : ${nextSnapshot}\n}`))
}

/** Removes a consumer; one that is not there is no error. @throws LakefoldError UNSUPPORTED if the storage takes no files */
export async function removeConsumer(io: FileIO, paths: TablePaths, id: string): Promise<void> {
  const file = paths.consumer(id)
  if (io.remove === undefined) throw readOnly(file)
  await io.remove(file)
}

function readOnly(file: string): LakefoldError {
  return new LakefoldError('UNSUPPORTED', `${file} cannot be changed: its storage is for reading only`, {
    context: { file },
  })
}
