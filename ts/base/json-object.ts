import type { JsonValue } from '../types/types.js'
import { LakefoldError } from './errors.js'

const LONG_MIN = -(2n ** 63n)
const LONG_MAX = 2n ** 63n - 1n

/**
 * A JSON object of a file, read by typed getters. Each getter throws CORRUPT_FILE naming the file, the path of the field and the
 * value where the type is not the one asked for. A getter named `opt...` gives undefined where the field is absent or null.
 */
export class JsonObject {
  private readonly members: Readonly<Record<string, JsonValue>>

  constructor(
    readonly raw: JsonValue,
    readonly file: string,
    /** Where in the file the object stands, such as `snapshots[3]`; empty for the document itself. */
    readonly path = '',
  ) {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      throw corruptField(file, path, 'must be an object', raw)
    }
    this.members = raw as Readonly<Record<string, JsonValue>>
  }

  has(key: string): boolean {
    return this.opt(key) !== undefined
  }

  /** The value as it stands; undefined where absent or null. */
  opt(key: string): JsonValue | undefined {
    return Object.hasOwn(this.members, key) ? (this.members[key] ?? undefined) : undefined
  }

  get(key: string): JsonValue {
    return this.opt(key) ?? this.fail(key, 'is missing', undefined)
  }

  optString(key: string): string | undefined {
    const value = this.opt(key)
    if (value === undefined || typeof value === 'string') return value
    return this.fail(key, 'must be a string', value)
  }

  string(key: string): string {
    return this.optString(key) ?? this.fail(key, 'is missing', undefined)
  }

  optBoolean(key: string): boolean | undefined {
    const value = this.opt(key)
    if (value === undefined || typeof value === 'boolean') return value
    return this.fail(key, 'must be true or false', value)
  }

  /** A 32-bit integer. */
  optInt(key: string): number | undefined {
    const value = this.opt(key)
    if (value === undefined) return undefined
    if (typeof value === 'number' && (value | 0) === value) return value
    return this.fail(key, 'must be a 32-bit integer', value)
  }

  int(key: string): number {
    return this.optInt(key) ?? this.fail(key, 'is missing', undefined)
  }

  /** A 64-bit integer, exact. */
  optLong(key: string): bigint | undefined {
    const value = this.opt(key)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    if (typeof value === 'bigint' && value >= LONG_MIN && value <= LONG_MAX) return value
    return this.fail(key, 'must be a 64-bit integer', value)
  }

  long(key: string): bigint {
    return this.optLong(key) ?? this.fail(key, 'is missing', undefined)
  }

  optObject(key: string): JsonObject | undefined {
    const value = this.opt(key)
    return value === undefined ? undefined : new JsonObject(value, this.file, this.child(key))
  }

  optList(key: string): readonly JsonValue[] | undefined {
    const value = this.opt(key)
    if (value === undefined || Array.isArray(value)) return value
    return this.fail(key, 'must be a list', value)
  }

  optObjects(key: string): readonly JsonObject[] | undefined {
    return this.optList(key)?.map((value, i) => new JsonObject(value, this.file, `${this.child(key)}[${i}]`))
  }

  objects(key: string): readonly JsonObject[] {
    return this.optObjects(key) ?? this.fail(key, 'is missing', undefined)
  }

  optInts(key: string): readonly number[] | undefined {
    return this.optList(key)?.map((value, i) => {
      if (typeof value === 'number' && (value | 0) === value) return value
      return this.fail(`${key}[${i}]`, 'must be a 32-bit integer', value)
    })
  }

  optStrings(key: string): readonly string[] | undefined {
    return this.optList(key)?.map((value, i) => {
      if (typeof value === 'string') return value
      return this.fail(`${key}[${i}]`, 'must be a string', value)
    })
  }

  /** An object whose members are all strings; a number or boolean, which some writers leave unquoted, gives its text. */
  optStringMap(key: string): ReadonlyMap<string, string> | undefined {
    const object = this.optObject(key)
    if (object === undefined) return undefined
    const map = new Map<string, string>()
    for (const [name, value] of Object.entries(object.members)) {
      if (typeof value === 'object') {
        if (value === null) continue
        object.fail(name, 'must be a string', value)
      }
      map.set(name, String(value))
    }
    return map
  }

  keys(): string[] {
    return Object.keys(this.members)
  }

  child(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  /** Throws CORRUPT_FILE for the field `key` of this object. */
  fail(key: string, what: string, value: unknown): never {
    throw corruptField(this.file, this.child(key), what, value)
  }
}

function corruptField(file: string, field: string, what: string, value: unknown): LakefoldError {
  const name = field === '' ? 'the document' : field
  return new LakefoldError(
    'CORRUPT_FILE',
    `${file}: ${name} ${what}${value === undefined ? '' : `, not ${show(value)}`}`,
    {
      context: { file, field, value },
    },
  )
}

function show(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}
