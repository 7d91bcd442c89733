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
