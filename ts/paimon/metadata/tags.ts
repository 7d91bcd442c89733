import { LakefoldError } from '../../base/errors.js'
import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { decodeText } from '../../base/text.js'
import type { FileIO } from '../../io/file-io.js'
import { daysOf, MICROS, parseTimestamp } from '../../types/temporal.js'
import { ifThere, namesAfter, type TablePaths } from './paths.js'
import { type Snapshot, snapshotOf } from './snapshot.js'

/** A named snapshot, kept whole in the tag's file, so that it outlives the snapshot's own. */
export interface Tag {
  readonly name: string
  readonly snapshot: Snapshot
  /** Wall clock of the writer, microseconds. */
  readonly createTime?: bigint
  /** How long it is kept, as ISO text such as `PT24H`. */
  readonly timeRetained?: string
}

/** The names of the tags, sorted. */
export function listTags(io: FileIO, paths: TablePaths): Promise<readonly string[]> {
  return namesAfter(io, paths.tagFolder, 'tag-')
}

/** The tag, or undefined if there is none of this name; CORRUPT_FILE naming its file where it cannot be read. */
export async function findTag(
  io: FileIO,
  paths: TablePaths,
  name: string,
  signal?: AbortSignal,
): Promise<Tag | undefined> {
  const file = paths.tag(name)
  const bytes = await ifThere(io.read(file, undefined, signal))
  return bytes === undefined ? undefined : parseTag(bytes, name, file)
}

/** The tag; UNKNOWN_REF naming those that there are if it is not one of them. */
export async function readTag(io: FileIO, paths: TablePaths, name: string, signal?: AbortSignal): Promise<Tag> {
  const tag = await findTag(io, paths, name, signal)
  if (tag !== undefined) return tag
  const tags = await listTags(io, paths)
  const known = tags.length === 0 ? 'it has none' : `it has ${tags.join(', ')}`
  throw new LakefoldError('UNKNOWN_REF', `${paths.branchRoot} has no tag "${name}": ${known}`, {
    context: { file: paths.tag(name), tag: name, tags },
  })
}

/** Reads a tag file: a snapshot with two more fields. */
export function parseTag(bytes: Uint8Array, name: string, file: string): Tag {
  const json = new JsonObject(parseJson(decodeText(bytes, file), file), file)
  const createTime = time(json)
  const timeRetained = duration(json)
  return {
    name,
    snapshot: snapshotOf(json),
    ...(createTime === undefined ? {} : { createTime }),
    ...(timeRetained === undefined ? {} : { timeRetained }),
  }
}

/** A local date-time, which Java writes as text or as the list of its parts (year, month, day, hour, minute, second, nanos). */
function time(json: JsonObject): bigint | undefined {
  const key = 'tagCreateTime'
  const value = json.opt(key)
  if (value === undefined) return undefined
  if (typeof value === 'string') {
    const parsed = parseTimestamp(value, MICROS, { offset: 'forbidden', lenient: true })
    return parsed?.ticks ?? json.fail(key, 'must be a date and time', value)
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, nanos = 0] = json.optInts(key) ?? []
  if (month < 1 || month > 12 || day < 1 || day > 31) json.fail(key, 'must be a date and time', value)
  const seconds = BigInt(daysOf(year, month, day)) * 86_400n + BigInt(hour * 3600 + minute * 60 + second)
  return seconds * MICROS + BigInt(Math.floor(nanos / 1000))
}

/** A duration, which Java writes as seconds or as ISO text. */
function duration(json: JsonObject): string | undefined {
  const key = 'tagTimeRetained'
  const value = json.opt(key)
  if (value === undefined || typeof value === 'string') return value
  if (typeof value !== 'number') return json.fail(key, 'must be a duration', value)
  const whole = Math.trunc(value)
  const [hours, minutes] = [Math.trunc(whole / 3600), Math.trunc((whole % 3600) / 60)]
  const seconds = Number((value - hours * 3600 - minutes * 60).toFixed(9))
  const text = `${hours === 0 ? '' : `${hours}H`}${minutes === 0 ? '' : `${minutes}M`}${seconds === 0 ? '' : `${seconds}S`}`
  return `PT${text === '' ? '0S' : text}`
}
