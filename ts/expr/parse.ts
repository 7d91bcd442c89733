import { Filter } from './dsl.js'
import { invalidFilter } from './invalid.js'
import { readJsonText } from './json-text.js'
import type { Expression } from './node.js'
import { parseArray } from './parse-array.js'
import { parseRest } from './parse-rest.js'
import { parseText } from './parse-text.js'
import { CONSTANTS } from './unbound.js'

/**
 * A filter in any of its spellings: built with `col`, the array DSL as arrays or JSON text, an Iceberg REST expression
 * as object or JSON text, SQL-like text, or a constant.
 */
export type FilterInput = Filter | boolean | string | readonly unknown[] | { readonly [key: string]: unknown }

/** Parses a filter of any spelling. Throws INVALID_FILTER, or LIMIT_EXCEEDED if it is nested too deeply. */
export function parseFilter(input: FilterInput): Expression {
  if (input === true || input === false) return input ? CONSTANTS.true : CONSTANTS.false
  if (Filter.is(input)) return input.expression
  if (typeof input === 'string') {
    const text = input.trim()
    if (text.startsWith('[')) return parseArray(readJsonText(text))
    return text.startsWith('{') ? parseRest(readJsonText(text)) : parseText(text)
  }
  if (Array.isArray(input)) return parseArray(input)
  if (typeof input === 'object' && input !== null) return parseRest(input)
  throw invalidFilter('A filter must be built with col(), a list, an expression object or a text', input)
}
