import { type ErrorCode, LakefoldError } from '../../base/errors.js'

/** One named option: its key, how its text is read, and what it is where it is not set. */
export interface Option<T> {
  readonly key: string
  /** Older keys of the same option, tried in order where the key itself is not set. */
  readonly also: readonly string[]
  readonly fallback: T
  /** Undefined where the text is not a value of the option. */
  readonly parse: (text: string) => T | undefined
  /** What the text must be, for the error. */
  readonly expected: string
  /** The code of the error. */
  readonly code: ErrorCode
}

type More = { readonly also?: readonly string[]; readonly code?: ErrorCode }

function option<T>(
  key: string,
  fallback: T,
  expected: string,
  parse: (text: string) => T | undefined,
  more: More = {},
): Option<T> {
  return { key, fallback, expected, parse, also: more.also ?? [], code: more.code ?? 'INVALID_ARGUMENT' }
}

export function text(key: string, fallback: string, more?: More): Option<string> {
  return option(key, fallback, 'text', (value) => value, more)
}

export function optText(key: string, more?: More): Option<string | undefined> {
  return option<string | undefined>(key, undefined, 'text', (value) => value, more)
}

export function flag(key: string, fallback: boolean, more?: More): Option<boolean> {
  return option(key, fallback, 'true or false', parseFlag, more)
}

export function integer(key: string, fallback: number, more?: More): Option<number> {
  return option(key, fallback, 'a 32-bit integer', parseInt32, more)
}

export function optInteger(key: string, more?: More): Option<number | undefined> {
  return option<number | undefined>(key, undefined, 'a 32-bit integer', parseInt32, more)
}

export function optLong(key: string, more?: More): Option<bigint | undefined> {
  return option<bigint | undefined>(key, undefined, 'a 64-bit integer', parseInt64, more)
}

/** Bytes, such as `128 mb`; a number alone is bytes. */
export function size(key: string, fallback: number, more?: More): Option<number> {
  return option(key, fallback, 'a size such as "128 mb"', parseSize, more)
}

/** Milliseconds, such as `10 s`; a number alone is milliseconds. */
export function optDuration(key: string, more?: More): Option<number | undefined> {
  return option<number | undefined>(key, undefined, 'a duration such as "10 s"', parseDuration, more)
}

/** One of some words, in any case. */
export function choice<const W extends string>(
  key: string,
  fallback: NoInfer<W>,
  words: readonly W[],
  more?: More,
): Option<W> {
  return option<W>(key, fallback, `one of ${words.join(', ')}`, (value) => word(words, value), more)
}

export function optChoice<const W extends string>(
  key: string,
  words: readonly W[],
  more?: More,
): Option<W | undefined> {
  return option<W | undefined>(key, undefined, `one of ${words.join(', ')}`, (value) => word(words, value), more)
}

/** One character, of those that take one unit of UTF-16. */
export function character(key: string, fallback: string, more?: More): Option<string> {
  return option(key, fallback, 'a single character', (value) => (value.length === 1 ? value : undefined), more)
}

/** Names separated by commas, blanks around them cut. */
export function names(key: string, more?: More): Option<readonly string[]> {
  return option<readonly string[]>(key, [], 'names separated by commas', parseNames, more)
}

function word<W extends string>(words: readonly W[], value: string): W | undefined {
  // As Java, which compares with the enum's own name too.
  const wanted = value.trim().toLowerCase().replaceAll('_', '-')
  return words.find((known) => known === wanted)
}

function parseFlag(value: string): boolean | undefined {
  const lower = value.trim().toLowerCase()
  return lower === 'true' ? true : lower === 'false' ? false : undefined
}

function parseInt32(value: string): number | undefined {
  const number = parseInt64(value)
  return number !== undefined && BigInt.asIntN(32, number) === number ? Number(number) : undefined
}

function parseInt64(value: string): bigint | undefined {
  const trimmed = value.trim()
  if (!/^[+-]?\d{1,19}$/.test(trimmed)) return undefined
  const number = BigInt(trimmed.replace('+', ''))
  return BigInt.asIntN(64, number) === number ? number : undefined
}

function parseNames(value: string): readonly string[] {
  const parts = value.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

const SIZES: readonly (readonly [RegExp, number])[] = [
  [/^(b|bytes)?$/, 1],
  [/^(k|kb|kibibytes)$/, 1024],
  [/^(m|mb|mebibytes)$/, 1024 ** 2],
  [/^(g|gb|gibibytes)$/, 1024 ** 3],
  [/^(t|tb|tebibytes)$/, 1024 ** 4],
]
const DURATIONS: readonly (readonly [RegExp, number])[] = [
  [/^(ns|nano|nanos|nanosecond|nanoseconds)$/, 1e-6],
  [/^(µs|micro|micros|microsecond|microseconds)$/, 1e-3],
  [/^(ms|milli|millis|millisecond|milliseconds)?$/, 1],
  [/^(s|sec|secs|second|seconds)$/, 1000],
  [/^(m|min|minute|minutes)$/, 60_000],
  [/^(h|hour|hours)$/, 3_600_000],
  [/^(d|day|days)$/, 86_400_000],
]

function parseSize(value: string): number | undefined {
  return measured(value, SIZES)
}

function parseDuration(value: string): number | undefined {
  const iso = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/i.exec(value.trim())
  if (iso !== null && iso[0].length > 2) {
    const [days, hours, minutes, seconds] = [1, 2, 3, 4].map((i) => Number(iso[i] ?? 0)) as [
      number,
      number,
      number,
      number,
    ]
    return ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000
  }
  return measured(value, DURATIONS)
}

function measured(value: string, units: readonly (readonly [RegExp, number])[]): number | undefined {
  const match = /^\s*(\d{1,15})\s*([a-zµ]*)\s*$/i.exec(value)
  if (match === null) return undefined
  const unit = units.find(([names]) => names.test(match[2]!.toLowerCase()))
  const result = unit === undefined ? undefined : Number(match[1]) * unit[1]
  return result !== undefined && result <= Number.MAX_SAFE_INTEGER ? result : undefined
}

/** Options by key, read by typed access. */
export class Options {
  constructor(
    readonly map: ReadonlyMap<string, string>,
    /** Whose options these are, for errors: a schema file or a table. */
    readonly source: string,
  ) {}

  /** The option's value, its fallback where it is not set; an error that names option and value where the text is not one. */
  get<T>(wanted: Option<T>): T {
    const key = this.keyOf(wanted)
    if (key === undefined) return wanted.fallback
    const value = this.map.get(key) as string
    const parsed = wanted.parse(value)
    if (parsed !== undefined) return parsed
    throw new LakefoldError(wanted.code, `${this.source}: option "${key}" must be ${wanted.expected}, not "${value}"`, {
      context: { file: this.source, field: key, option: key, value },
    })
  }

  /** Whether the option is set, by any of its keys. */
  has(wanted: Option<unknown>): boolean {
    return this.keyOf(wanted) !== undefined
  }

  /** The text of an option by its key. */
  raw(key: string): string | undefined {
    return this.map.get(key)
  }

  private keyOf(wanted: Option<unknown>): string | undefined {
    if (this.map.has(wanted.key)) return wanted.key
    return wanted.also.find((key) => this.map.has(key))
  }
}
