/** A JSON value with exact numbers: a whole number beyond 2^53 is a bigint; with `numbers: 'text'` each number is a `NumberText`. */
export type Json = null | boolean | number | bigint | string | NumberText | Json[] | { [key: string]: Json }

/** A number as it was spelled. */
export class NumberText {
  constructor(readonly text: string) {}
}

export interface ParseOptions {
  numbers?: 'exact' | 'text'
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const PLAIN = /[^"\\]*/y
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Parses JSON without losing digits. The reader of expected values: it shares no code with what it checks. */
export function parseJson(text: string, options: ParseOptions = {}): Json {
  let at = 0
  const fail = (): never => {
    throw new SyntaxError(`not JSON at offset ${at}: ${text.slice(at, at + 40)}`)
  }
  const blank = () => {
    while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++
  }
  const number = (): Json => {
    NUMBER.lastIndex = at
    const match = NUMBER.exec(text) ?? fail()
    at = NUMBER.lastIndex
    const spelled = match[0]
    if (options.numbers === 'text') return new NumberText(spelled)
    const value = Number(spelled)
    return /^-?\d+$/.test(spelled) && !Number.isSafeInteger(value) ? BigInt(spelled) : value
  }
  const string = (): string => {
    at++
    let out = ''
    for (;;) {
      PLAIN.lastIndex = at
      out += (PLAIN.exec(text) ?? fail())[0]
      at = PLAIN.lastIndex
      const char = text[at]
      if (char === '"') {
        at++
        return out
      }
      if (char !== '\\') return fail()
      const letter = text[at + 1] as string
      if (letter === 'u') {
        out += String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16))
        at += 6
      } else {
        out += ESCAPES[letter] ?? fail()
        at += 2
      }
    }
  }
  const word = (spelled: string, value: Json): Json => {
    if (!text.startsWith(spelled, at)) return fail()
    at += spelled.length
    return value
  }
  const list = (): Json[] => {
    const out: Json[] = []
    at++
    blank()
    if (text[at] === ']') {
      at++
      return out
    }
    for (;;) {
      out.push(value())
      blank()
      const char = text[at++]
      if (char === ']') return out
      if (char !== ',') return fail()
    }
  }
  const object = (): Json => {
    const out: { [key: string]: Json } = {}
    at++
    blank()
    if (text[at] === '}') {
      at++
      return out
    }
    for (;;) {
      blank()
      if (text[at] !== '"') return fail()
      const key = string()
      blank()
      if (text[at++] !== ':') return fail()
      Object.defineProperty(out, key, { value: value(), enumerable: true, writable: true, configurable: true })
      blank()
      const char = text[at++]
      if (char === '}') return out
      if (char !== ',') return fail()
    }
  }
  const value = (): Json => {
    blank()
    switch (text[at]) {
      case '{':
        return object()
      case '[':
        return list()
      case '"':
        return string()
      case 't':
        return word('true', true)
      case 'f':
        return word('false', false)
      case 'n':
        return word('null', null)
      default:
        return number()
    }
  }
  const result = value()
  blank()
  if (at !== text.length) fail()
  return result
}

/** One text for equal values: keys sorted, numbers in JavaScript's shortest form, texts of numbers as exact decimals. */
export function canonical(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof NumberText) return canonicalNumber(value.text)
  if (typeof value === 'bigint') return value.toString()
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`).join(',')}}`
}

/** A number's digits and exponent without trailing zeros, so that 1.50, 1.5 and 15E-1 are one text. */
export function canonicalNumber(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (match === null) throw new SyntaxError(`not a number: ${text}`)
  const fraction = match[3] ?? ''
  let digits = (match[2] as string) + fraction
  let exponent = Number(match[4] ?? 0) - fraction.length
  digits = digits.replace(/^0+/, '')
  if (digits === '') return '0'
  const trimmed = digits.replace(/0+$/, '')
  exponent += digits.length - trimmed.length
  return `${match[1]}${trimmed}${exponent === 0 ? '' : `E${exponent}`}`
}
