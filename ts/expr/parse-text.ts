import { checkDepth } from './depth.js'
import { invalidFilter } from './invalid.js'
import type { Expression, LiteralOp, UnboundLiteral, UnboundTerm } from './node.js'
import { sqlMeaning } from './sql-meaning.js'
import { type SqlToken, sqlTokens } from './sql-tokens.js'
import { CONSTANTS, junction, literal, negation, numberLiteral, predicate, transformTerm } from './unbound.js'

const COMPARISONS: Readonly<Record<string, LiteralOp>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'not-eq',
  '<>': 'not-eq',
  '<': 'lt',
  '<=': 'lt-eq',
  '>': 'gt',
  '>=': 'gt-eq',
}
/** The comparison with its sides exchanged. */
const MIRRORED: Readonly<Record<LiteralOp, LiteralOp>> = {
  eq: 'eq',
  'not-eq': 'not-eq',
  lt: 'gt',
  'lt-eq': 'gt-eq',
  gt: 'lt',
  'gt-eq': 'lt-eq',
  'starts-with': 'starts-with',
  'not-starts-with': 'not-starts-with',
}
const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'is', 'null', 'nan', 'between', 'true', 'false', 'like'])
const TRANSFORMS = new Set(['year', 'month', 'day', 'hour', 'bucket', 'truncate'])
/** Types that may stand before a string, as in `date '2024-01-31'`; the column's own type decides. */
const TYPED = new Set(['date', 'time', 'timestamp', 'timestamptz', 'x'])

/**
 * Parses SQL-like text, such as `ts >= '2026-01-01' and user in ('a', 'b') and not starts_with(name, 'x')`.
 * It keeps SQL's meaning: null matches nothing but `is null`. Throws INVALID_FILTER with the offset of the fault.
 */
export function parseText(text: string): Expression {
  return sqlMeaning(new TextParser(text, sqlTokens(text)).filter())
}

class TextParser {
  private position = 0
  private depth = 0

  constructor(
    private readonly text: string,
    private readonly tokens: readonly SqlToken[],
  ) {}

  filter(): Expression {
    const expression = this.disjunction()
    if (this.peek().kind !== 'end') this.fail('the end of the filter, "and" or "or"')
    return expression
  }

  private disjunction(): Expression {
    checkDepth(++this.depth)
    const operands = [this.conjunction()]
    while (this.accept('or')) operands.push(this.conjunction())
    this.depth--
    return junction('or', operands)
  }

  private conjunction(): Expression {
    const operands = [this.factor()]
    while (this.accept('and')) operands.push(this.factor())
    return junction('and', operands)
  }

  private factor(): Expression {
    let negated = false
    while (this.accept('not')) negated = !negated
    const expression = this.primary()
    return negated ? negation(expression) : expression
  }

  private primary(): Expression {
    if (this.accept('(')) {
      const inner = this.disjunction()
      this.expect(')')
      return inner
    }
    if (this.atLiteral()) {
      const constant = this.constant()
      if (constant !== undefined) return constant
      const value = this.literal()
      const op = this.comparison() ?? this.fail('a comparison')
      return predicate(MIRRORED[op], this.term(), [value])
    }
    if (this.isCall('starts_with', 'startswith')) return this.startsWith()
    return this.predicateOn(this.term())
  }

  private predicateOn(term: UnboundTerm): Expression {
    const op = this.comparison()
    if (op !== undefined) return predicate(op, term, [this.literal()])
    if (this.accept('is')) {
      const negated = this.accept('not')
      if (this.accept('null')) return predicate(negated ? 'not-null' : 'is-null', term, [])
      if (this.accept('nan')) return predicate(negated ? 'not-nan' : 'is-nan', term, [])
      return this.fail('"null" or "nan"')
    }
    const negated = this.accept('not')
    if (this.accept('in')) return predicate(negated ? 'not-in' : 'in', term, this.list())
    if (this.accept('between')) {
      const from = predicate('gt-eq', term, [this.literal()])
      this.expect('and')
      const range = junction('and', [from, predicate('lt-eq', term, [this.literal()])])
      return negated ? negation(range) : range
    }
    if (this.accept('like')) {
      const like = predicate('like', term, [this.literal()])
      return negated ? negation(like) : like
    }
    return this.fail(negated ? '"in", "between" or "like"' : 'a comparison, "in", "between", "like" or "is"')
  }

  private startsWith(): Expression {
    this.position++
    this.expect('(')
    const term = this.term()
    this.expect(',')
    const prefix = this.literal()
    this.expect(')')
    return predicate('starts-with', term, [prefix])
  }

  private comparison(): LiteralOp | undefined {
    const { kind, text } = this.peek()
    const op = kind === 'symbol' && Object.hasOwn(COMPARISONS, text) ? COMPARISONS[text] : undefined
    if (op !== undefined) this.position++
    return op
  }

  private list(): readonly UnboundLiteral[] {
    this.expect('(')
    if (this.accept(')')) return []
    const values = [this.literal()]
    while (this.accept(',')) values.push(this.literal())
    this.expect(')')
    return values
  }

  /** `true` or `false` as a filter of its own. */
  private constant(): Expression | undefined {
    const word = this.wordAt(0)
    if (word !== 'true' && word !== 'false') return undefined
    const after = this.tokens[this.position + 1]
    if (after?.kind === 'symbol' && Object.hasOwn(COMPARISONS, after.text)) return undefined
    this.position++
    return CONSTANTS[word]
  }

  private atLiteral(): boolean {
    const token = this.peek()
    if (token.kind === 'string' || token.kind === 'number') return true
    if (token.kind === 'symbol') return token.text === '-' || token.text === '+'
    const word = this.wordAt(0)
    if (word === 'true' || word === 'false' || word === 'null') return true
    return word !== undefined && TYPED.has(word) && this.tokens[this.position + 1]?.kind === 'string'
  }

  private literal(): UnboundLiteral {
    const negative = this.accept('-')
    if (!negative) this.accept('+')
    const token = this.peek()
    if (token.kind === 'number') {
      this.position++
      return numberLiteral((negative ? '-' : '') + token.text, 'dsl')
    }
    if (negative || !this.atLiteral()) return this.fail('a value')
    this.position++
    if (token.kind === 'string') return literal(token.text, 'dsl')
    const word = token.text.toLowerCase()
    if (word === 'true' || word === 'false') return literal(word === 'true', 'dsl')
    if (word === 'null') return literal(null, 'dsl')
    const value = this.peek().text
    this.position++
    return literal(value, 'dsl')
  }

  private term(): UnboundTerm {
    const word = this.wordAt(0)
    if (word !== undefined && TRANSFORMS.has(word) && this.isCall(word)) {
      this.position += 2
      let argument = ''
      if (word === 'bucket' || word === 'truncate') {
        if (this.peek().kind !== 'number') this.fail('a number')
        argument = `[${this.peek().text}]`
        this.position++
        this.expect(',')
      }
      const column = this.column()
      this.expect(')')
      return transformTerm(word + argument, column)
    }
    return { column: this.column() }
  }

  private column(): string {
    const parts: string[] = []
    do {
      const token = this.peek()
      const reserved = token.kind === 'word' && parts.length === 0 && KEYWORDS.has(token.text.toLowerCase())
      if ((token.kind !== 'word' && token.kind !== 'name') || reserved) this.fail('a column')
      parts.push(token.text)
      this.position++
    } while (this.accept('.'))
    return parts.join('.')
  }

  private isCall(...names: readonly string[]): boolean {
    const after = this.tokens[this.position + 1]
    const word = this.wordAt(0)
    return word !== undefined && names.includes(word) && after?.kind === 'symbol' && after.text === '('
  }

  private peek(): SqlToken {
    return this.tokens[this.position] as SqlToken
  }

  private wordAt(offset: number): string | undefined {
    const token = this.tokens[this.position + offset]
    return token?.kind === 'word' ? token.text.toLowerCase() : undefined
  }

  private accept(wanted: string): boolean {
    const token = this.peek()
    const found = token.kind === 'symbol' ? token.text === wanted : token.kind === 'word' && this.wordAt(0) === wanted
    if (found) this.position++
    return found
  }

  private expect(wanted: string): void {
    if (!this.accept(wanted)) this.fail(`"${wanted}"`)
  }

  private fail(wanted: string): never {
    const token = this.peek()
    const found = token.kind === 'end' ? 'the end of the text' : this.text.slice(token.at, token.at + 20)
    throw invalidFilter(`The filter needs ${wanted} at offset ${token.at}, not`, found, {
      filter: this.text,
      offset: token.at,
    })
  }
}
