import type { JsonValue } from '../types/types.js'
import { MAX_DEPTH, parseTokens } from './json-tokens.js'

/** Whole numbers that may be beyond 2^53, where a token may stand; in a string too, which then ends early and is no JSON. */
const LONG = /(?<![^:,[ \t\n\r])-?[1-9][0-9]{15,}(?![^,}\] \t\n\r])/g
/** Stands before such a number, in double quotes; outside of strings it is no JSON. */
const MARK = '\ue000'
const ESCAPED_MARK = /\\ue000/i

/**
 * Reads JSON text without losing digits: a whole-number token beyond 2^53 becomes a bigint, every other number a number.
 * The last of equal keys wins, as in `JSON.parse`.
 *
 * @param file named in the error, CORRUPT_FILE, with line and column.
 */
export function parseJson(text: string, file?: string): JsonValue {
  return parseMarked(text) ?? parseTokens(text, file)
}

/** By `JSON.parse`, which is fast at once, while a parser of our own is slow until V8 has compiled it; undefined where that cannot be. */
function parseMarked(text: string): JsonValue | undefined {
  if (text.includes(MARK) || ESCAPED_MARK.test(text)) return undefined
  try {
    const document = { value: JSON.parse(text.replace(LONG, `"${MARK}$&"`)) as JsonValue }
    return unmark(document, -1) ? document.value : undefined
  } catch {
    return undefined
  }
}

/** Puts numbers in the place of those that are marked. False where the text was not what {@link parseTokens} takes. */
function unmark(members: Record<string, JsonValue> | JsonValue[], depth: number): boolean {
  const isObject = !Array.isArray(members)
  const own = members as Record<string, JsonValue>
  for (const key in own) {
    if (depth >= MAX_DEPTH) return false
    // A number in the place of a key.
    if (isObject && key[0] === MARK) return false
    const value = own[key]
    if (typeof value === 'object') {
      if (value !== null && !unmark(value as Record<string, JsonValue>, depth + 1)) return false
    } else if (typeof value === 'string') {
      if (value[0] === MARK) own[key] = whole(value.slice(1))
    } else if (typeof value === 'number' && !Number.isFinite(value)) return false
  }
  return true
}

function whole(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits)
}

/**
 * Writes JSON text, compact, with bigints as integer tokens and a negative zero as `-0.0`: what {@link parseJson} reads back as the
 * same value. Members that are undefined are left out.
 */
export function stringifyJson(value: JsonValue): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString()
    case 'number':
      return Object.is(value, -0) ? '-0.0' : JSON.stringify(value)
    case 'object': {
      if (value === null) return 'null'
      if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`
      const members: string[] = []
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) members.push(`${JSON.stringify(key)}:${stringifyJson(member)}`)
      }
      return `{${members.join(',')}}`
    }
    default:
      return JSON.stringify(value)
  }
}
