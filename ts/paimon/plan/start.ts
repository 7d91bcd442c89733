import { LakefoldError } from '../../base/errors.js'
import { MICROS, parseTimestamp } from '../../types/temporal.js'
import type { Option, Options } from '../metadata/option.js'
import {
  INCREMENTAL_BETWEEN,
  INCREMENTAL_BETWEEN_TIMESTAMP,
  INCREMENTAL_TO_AUTO_TAG,
  SCAN_CREATION_TIME_MILLIS,
  SCAN_FILE_CREATION_TIME_MILLIS,
  SCAN_MODE,
  SCAN_SNAPSHOT_ID,
  SCAN_TAG_NAME,
  SCAN_TIMESTAMP,
  SCAN_TIMESTAMP_MILLIS,
  SCAN_VERSION,
  SCAN_WATERMARK,
} from '../metadata/options.js'

/** Where a scan begins. */
export type Start =
  | { readonly kind: 'latest-full' | 'latest' | 'latest-delta' | 'compacted-full' }
  | { readonly kind: 'snapshot' | 'snapshot-full'; readonly id: bigint }
  | { readonly kind: 'tag' | 'version'; readonly name: string }
  | { readonly kind: 'watermark'; readonly watermark: bigint }
  | { readonly kind: 'timestamp' | 'creation-time' | 'file-creation-time'; readonly millis: bigint }
  | { readonly kind: 'incremental' }

const TIMESTAMPS = [SCAN_TIMESTAMP_MILLIS, SCAN_TIMESTAMP]
const POINTS = [SCAN_SNAPSHOT_ID, SCAN_TAG_NAME, SCAN_WATERMARK, SCAN_VERSION]
const RANGES = [INCREMENTAL_BETWEEN, INCREMENTAL_BETWEEN_TIMESTAMP, INCREMENTAL_TO_AUTO_TAG]
const CREATIONS = [SCAN_CREATION_TIME_MILLIS, SCAN_FILE_CREATION_TIME_MILLIS]
const ALL: readonly Option<unknown>[] = [...TIMESTAMPS, ...POINTS, ...RANGES, ...CREATIONS]

/** Reads where a scan begins from its options; INVALID_ARGUMENT naming those that contradict each other or are missing. */
export function startOf(options: Options): Start {
  const mode = options.get(SCAN_MODE)
  switch (mode === 'default' ? defaultMode(options) : mode) {
    case 'latest-full':
    case 'full':
      return alone(options, { kind: 'latest-full' })
    case 'latest':
      return alone(options, { kind: 'latest' })
    case 'latest-delta':
      return alone(options, { kind: 'latest-delta' })
    case 'compacted-full':
      return alone(options, { kind: 'compacted-full' })
    case 'from-timestamp':
      one(options, TIMESTAMPS, 'from-timestamp')
      return { kind: 'timestamp', millis: options.get(SCAN_TIMESTAMP_MILLIS) ?? localMillis(options) }
    case 'from-snapshot':
      return point(options)
    case 'from-snapshot-full':
      one(options, [SCAN_SNAPSHOT_ID], 'from-snapshot-full')
      return { kind: 'snapshot-full', id: options.get(SCAN_SNAPSHOT_ID) as bigint }
    case 'from-creation-timestamp':
      one(options, [SCAN_CREATION_TIME_MILLIS], 'from-creation-timestamp')
      return { kind: 'creation-time', millis: options.get(SCAN_CREATION_TIME_MILLIS) as bigint }
    case 'from-file-creation-time':
      one(options, [SCAN_FILE_CREATION_TIME_MILLIS], 'from-file-creation-time')
      return { kind: 'file-creation-time', millis: options.get(SCAN_FILE_CREATION_TIME_MILLIS) as bigint }
    case 'incremental':
      one(options, RANGES, 'incremental')
      return { kind: 'incremental' }
  }
}

function defaultMode(options: Options) {
  if (TIMESTAMPS.some((option) => options.has(option))) return 'from-timestamp'
  if (POINTS.some((option) => options.has(option))) return 'from-snapshot'
  if (RANGES.some((option) => options.has(option))) return 'incremental'
  if (options.has(SCAN_FILE_CREATION_TIME_MILLIS)) return 'from-file-creation-time'
  return options.has(SCAN_CREATION_TIME_MILLIS) ? 'from-creation-timestamp' : 'latest-full'
}

function point(options: Options): Start {
  one(options, POINTS, 'from-snapshot')
  const [id, tag, watermark] = [options.get(SCAN_SNAPSHOT_ID), options.get(SCAN_TAG_NAME), options.get(SCAN_WATERMARK)]
  if (id !== undefined) return { kind: 'snapshot', id }
  if (tag !== undefined) return { kind: 'tag', name: tag }
  if (watermark !== undefined) return { kind: 'watermark', watermark }
  return { kind: 'version', name: options.get(SCAN_VERSION) as string }
}

/** Exactly one of `wanted` is set, and no other start. */
function one(options: Options, wanted: readonly Option<unknown>[], mode: string): void {
  const set = ALL.filter((option) => options.has(option)).map((option) => option.key)
  const keys = wanted.map((option) => option.key)
  if (set.length === 1 && keys.includes(set[0] as string)) return
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    `${options.source}: scan.mode ${mode} needs exactly one of ${keys.join(', ')}, but ${set.length === 0 ? 'none is' : `${set.join(', ')} are`} set`,
    { context: { option: set[0] ?? keys[0], options: set, mode } },
  )
}

function alone(options: Options, start: Start): Start {
  const set = ALL.filter((option) => options.has(option)).map((option) => option.key)
  if (set.length === 0) return start
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    `${options.source}: ${set.join(', ')} cannot be set with scan.mode ${start.kind}`,
    {
      context: { option: set[0], options: set, mode: start.kind },
    },
  )
}

/** `scan.timestamp` is a local date and time of this process. */
function localMillis(options: Options): bigint {
  const text = options.get(SCAN_TIMESTAMP) as string
  const parsed = parseTimestamp(text, MICROS, { offset: 'forbidden', lenient: true })
  if (parsed !== undefined) return epochOfLocal(parsed.ticks / 1000n)
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    `${options.source}: option "${SCAN_TIMESTAMP.key}" is no date and time: "${text}"`,
    {
      context: { option: SCAN_TIMESTAMP.key, value: text },
    },
  )
}

/** The instant of a wall clock of this process's time zone, both in milliseconds. */
export function epochOfLocal(millis: bigint): bigint {
  const wall = new Date(Number(millis))
  const parts = [
    wall.getUTCMonth(),
    wall.getUTCDate(),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
  ] as const
  const local = new Date(wall.getUTCFullYear(), ...parts, wall.getUTCMilliseconds())
  return BigInt(local.getTime())
}
