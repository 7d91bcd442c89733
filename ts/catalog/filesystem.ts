import { LakefoldError } from '../base/errors.js'
import { parseJson } from '../base/json.js'
import { JsonObject } from '../base/json-object.js'
import { decodeText } from '../base/text.js'
import type { FileIO } from '../io/file-io.js'

const HINT = 'version-hint.text'

/** `v3.metadata.json`, `v3.gz.metadata.json`, `v3.metadata.json.gz`, `00003-<uuid>.metadata.json` and its gzip forms. */
const VERSIONED = /^(?:v(\d{1,15})|(\d{1,15})-.+?)(?:\.gz)?\.metadata\.json(?:\.gz)?$/
const METADATA_FILE = /\.metadata\.json(?:\.gz)?$/

/**
 * Finds the metadata file of the Iceberg table at `location`: a metadata file itself, a table's folder, or its `metadata` folder.
 * In a folder it is the version that `version-hint.text` names, or a later one that follows without a gap; without a usable hint
 * the highest version; of several files with that version, the one updated last.
 *
 * @throws LakefoldError FILE_NOT_FOUND if there is no folder or no metadata in it, and the errors of {@link FileIO}.
 */
export async function findMetadata(
  io: FileIO,
  location: string,
  options: { signal?: AbortSignal } = {},
): Promise<string> {
  if (METADATA_FILE.test(location)) return location
  const root = location.replace(/(?<=.)\/+$/, '')
  for (const folder of [join(root, 'metadata'), root]) {
    const names = await listOrNone(io, folder)
    if (names === undefined) continue
    const versions = byVersion(names)
    if (versions.size === 0) continue
    const hint = names.includes(HINT) ? await readHint(io, join(folder, HINT), options.signal) : undefined
    const files = versions.get(latest(versions, hint))!.map((name) => join(folder, name))
    return files.length === 1 ? files[0]! : updatedLast(io, files, options.signal)
  }
  throw new LakefoldError('FILE_NOT_FOUND', `${location} is no Iceberg table: it holds no metadata files`, {
    context: { file: location },
  })
}

function byVersion(names: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const versions = new Map<number, string[]>()
  for (const name of names) {
    const match = VERSIONED.exec(name)
    if (match === null) continue
    const version = Number(match[1] ?? match[2])
    const files = versions.get(version)
    if (files === undefined) versions.set(version, [name])
    else files.push(name)
  }
  return versions
}

function latest(versions: ReadonlyMap<number, unknown>, hint: number | undefined): number {
  // Not Math.max(...): a folder may hold more files than a call takes arguments.
  if (hint === undefined || !versions.has(hint)) return [...versions.keys()].reduce((a, b) => Math.max(a, b))
  let version = hint
  while (versions.has(version + 1)) version++
  return version
}

/** Undefined if the file holds no number. */
async function readHint(io: FileIO, file: string, signal: AbortSignal | undefined): Promise<number | undefined> {
  const text = new TextDecoder().decode(await io.read(file, undefined, signal)).trim()
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

async function updatedLast(io: FileIO, files: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  let best = files[0]!
  let bestMs: bigint | undefined
  for (const file of files) {
    const text = decodeText(await io.read(file, undefined, signal), file)
    const updatedMs = new JsonObject(parseJson(text, file), file).long('last-updated-ms')
    if (bestMs === undefined || updatedMs > bestMs) {
      best = file
      bestMs = updatedMs
    }
  }
  return best
}

/** Undefined if there is no such folder. */
async function listOrNone(io: FileIO, folder: string): Promise<readonly string[] | undefined> {
  try {
    return await io.list(folder)
  } catch (error) {
    if (LakefoldError.is(error) && error.code === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`
}
