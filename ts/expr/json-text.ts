import { LakefoldError } from '../base/errors.js'
import { invalidFilter } from './invalid.js'
import { NumberToken } from './number-token.js'

/** Filters are small; a longer text is a mistake or an attack. */
const MAX_LENGTH = 64 * 1024 * 1024
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Reads JSON text, numbers as {@link NumberToken}. Any depth is read without recursion.
 * Throws INVALID_FILTER for text that is not JSON.
 */
export function readJsonText(text: string): unknown {
  if (text.length > MAX_LENGTH) {
    throw new LakefoldError('LIMIT_EXCEEDED', `The filter's text is longer than ${MAX_LENGTH} characters`, {
      context: { length: text.length },
    })
  }
  // Numbers become strings that keep their digits; a first letter tells the two apart.
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return `"s${token.slice(1)}`
    return NUMBER.test(token) ? `"n${token}"` : token
  })
  let root: unknown
  try {
    root = JSON.parse(marked)
  } catch (cause) {
    throw invalidFilter('The filter is not valid JSON', text.slice(0, 200), {}, cause)
  }
  return unmark(root)
}

function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.startsWith('n') ? new NumberToken(value.slice(1)) : value.slice(1)
}

function unmark(root: unknown): unknown {
  const holder: unknown[] = [root]
  const open: (unknown[] | Record<string, unknown>)[] = [holder]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length; i++) {
        node[i] = plain(node[i])
        if (isContainer(node[i])) open.push(node[i] as unknown[])
      }
      continue
    }
    for (const [key, value] of Object.entries(node)) {
      delete node[key]
      const read = plain(value)
      Object.defineProperty(node, key.slice(1), { value: read, enumerable: true, configurable: true, writable: true })
      if (isContainer(read)) open.push(read)
    }
  }
  return holder[0]
}

function isContainer(value: unknown): value is unknown[] | Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof NumberToken)
}
