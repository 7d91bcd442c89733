import { invalidFilter } from './invalid.js'

/** A piece of SQL-like text. Words keep their spelling; quoted names and strings hold what is inside the quotes. */
export interface SqlToken {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'symbol' | 'end'
  readonly text: string
  /** Offset in the text. */
  readonly at: number
}

const SPACE = /\s*/y
const PATTERNS: readonly (readonly [SqlToken['kind'], RegExp])[] = [
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['string', /'[^']*(?:''[^']*)*'/y],
  ['name', /"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`/y],
  ['symbol', /<=|>=|<>|!=|==|[=<>(),.+\-[\]]/y],
]

/** Cuts SQL-like text into tokens, the last one of kind `end`. Throws INVALID_FILTER at what is none. */
export function sqlTokens(text: string): readonly SqlToken[] {
  const tokens: SqlToken[] = []
  for (let at = skip(text, 0); at < text.length; ) {
    const token = next(text, at)
    if (token === undefined) {
      throw invalidFilter(`Cannot read the filter at offset ${at}`, text.slice(at, at + 20), {
        filter: text,
        offset: at,
      })
    }
    tokens.push(token.token)
    at = skip(text, token.end)
  }
  tokens.push({ kind: 'end', text: '', at: text.length })
  return tokens
}

function skip(text: string, at: number): number {
  SPACE.lastIndex = at
  SPACE.test(text)
  return SPACE.lastIndex
}

function next(text: string, at: number): { readonly token: SqlToken; readonly end: number } | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined) continue
    return { token: { kind, text: unquote(kind, found), at }, end: at + found.length }
  }
  return undefined
}

function unquote(kind: SqlToken['kind'], text: string): string {
  if (kind !== 'string' && kind !== 'name') return text
  const quote = text[0] as string
  return text.slice(1, -1).replaceAll(quote + quote, quote)
}
