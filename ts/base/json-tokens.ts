import type { JsonValue } from '../types/types.js'
import { LakefoldError } from './errors.js'

/** Deepest nesting that is read; schemas of real tables stay far below. */
export const MAX_DEPTH = 256
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const SPACE = /[ \t\n\r]*/y
/** The characters of a string up to its end or to the first one that needs a closer look. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const PLAIN = /[^"\\\u0000-\u001f]*/y

/** {@link parseJson} token by token: for what `JSON.parse` cannot be asked for, and to say where text is no JSON. */
export function parseTokens(text: string, file?: string): JsonValue {
  return new Parser(text, file).document()
}

class Parser {
  private at = 0

  constructor(
    private readonly text: string,
    private readonly file: string | undefined,
  ) {}

  document(): JsonValue {
    const value = this.value(0)
    this.space()
    if (this.at < this.text.length) this.fail('text after the end of the document')
    return value
  }

  private value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH} levels`)
    this.space()
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth)
      case '[':
        return this.array(depth)
      case '"':
        return this.string()
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number()
    }
  }

  private object(depth: number): JsonValue {
    const object: Record<string, JsonValue> = {}
    this.at++
    if (this.next('}')) return object
    do {
      this.space()
      if (this.text[this.at] !== '"') this.fail('a key in double quotes is missing')
      const key = this.string()
      if (!this.next(':')) this.fail('":" is missing')
      const value = this.value(depth + 1)
      // An own property in any case: plain assignment of this key would set the prototype.
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
      } else object[key] = value
    } while (this.next(','))
    if (!this.next('}')) this.fail('"," or "}" is missing')
    return object
  }

  private array(depth: number): JsonValue {
    const array: JsonValue[] = []
    this.at++
    if (this.next(']')) return array
    do array.push(this.value(depth + 1))
    while (this.next(','))
    if (!this.next(']')) this.fail('"," or "]" is missing')
    return array
  }

  private string(): string {
    const start = this.at
    this.plain(start + 1)
    if (this.text[this.at] === '"') return this.text.slice(start + 1, this.at++)
    while (this.text[this.at] === '\\') this.plain(this.at + 2)
    if (this.text[this.at] !== '"') this.fail('a string that does not end, or holds a control character')
    this.at++
    try {
      return JSON.parse(this.text.slice(start, this.at)) as string
    } catch {
      return this.fail('an escape that JSON does not have')
    }
  }

  private plain(from: number): void {
    // Past the end a sticky expression would start over at 0.
    PLAIN.lastIndex = Math.min(from, this.text.length)
    PLAIN.test(this.text)
    this.at = PLAIN.lastIndex
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(this.text)
    if (match === null) return this.fail(this.at < this.text.length ? 'not a JSON value' : 'the text ends too early')
    this.at = NUMBER.lastIndex
    const value = Number(match[0])
    if (match[1] === undefined && match[2] === undefined) {
      return Number.isSafeInteger(value) ? value : BigInt(match[0])
    }
    if (!Number.isFinite(value)) return this.fail('a number beyond the range of a double')
    return value
  }

  private word<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('not a JSON value')
    this.at += word.length
    return value
  }

  private space(): void {
    SPACE.lastIndex = this.at
    SPACE.test(this.text)
    this.at = SPACE.lastIndex
  }

  private next(character: string): boolean {
    this.space()
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private fail(what: string): never {
    const before = this.text.slice(0, this.at).split('\n')
    const line = before.length
    const column = before.at(-1)!.length + 1
    const where = `line ${line}, column ${column}`
    throw new LakefoldError(
      'CORRUPT_FILE',
      this.file === undefined
        ? `Invalid JSON at ${where}: ${what}`
        : `${this.file} is not valid JSON at ${where}: ${what}`,
      { context: { file: this.file, line, column } },
    )
  }
}
