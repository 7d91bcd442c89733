import { corruptAt, type Place, placedError } from './errors.js'
import { MAX_LENGTH, type PaimonType, type SimpleKind } from './types.js'

const MAX_DEPTH = 64
const TOKEN = /\s*(?:([A-Z_][A-Z0-9_:./-]*)|(\d+)|([(),<>])|'((?:[^']|'')*)')/iy

const SIMPLE: Readonly<Record<string, SimpleKind>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'tinyint',
  SMALLINT: 'smallint',
  INT: 'int',
  INTEGER: 'int',
  BIGINT: 'bigint',
  FLOAT: 'float',
  DATE: 'date',
  VARIANT: 'variant',
  BLOB: 'blob',
}

interface Token {
  readonly text: string
  readonly upper: string
}

/** Reads the text of an atomic type, in any case: what follows it (NULL, NOT NULL, ARRAY, MULTISET) from left to right. */
export class TypeTextParser {
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(
    private readonly text: string,
    private readonly place: Place,
  ) {
    this.tokens = this.split()
  }

  parse(): PaimonType {
    const type = this.type(0)
    if (this.at < this.tokens.length) this.fail()
    return type
  }

  private split(): Token[] {
    const tokens: Token[] = []
    TOKEN.lastIndex = 0
    const text = this.text.trimEnd()
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text)
      if (match === null) this.fail()
      const token = (match[4] ?? match[1] ?? match[2] ?? match[3]) as string
      tokens.push({ text: token, upper: token.toUpperCase() })
    }
    return tokens
  }

  private type(depth: number): PaimonType {
    if (depth > MAX_DEPTH) corruptAt(this.place, `has a type nested deeper than ${MAX_DEPTH} levels`)
    let type = this.nullability(this.base(depth))
    for (let levels = depth; ; levels++) {
      if (levels > MAX_DEPTH) corruptAt(this.place, `has a type nested deeper than ${MAX_DEPTH} levels`)
      if (this.accept('ARRAY')) type = this.nullability({ kind: 'array', nullable: true, element: type })
      else if (this.accept('MULTISET')) type = this.nullability({ kind: 'multiset', nullable: true, element: type })
      else return type
    }
  }

  private nullability(type: PaimonType): PaimonType {
    if (this.accept('NOT')) {
      if (!this.accept('NULL')) this.fail()
      return { ...type, nullable: false }
    }
    this.accept('NULL')
    return type
  }

  private base(depth: number): PaimonType {
    const name = this.tokens[this.at++]?.upper ?? this.fail()
    const nullable = true
    const simple = Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined
    if (simple !== undefined) return { kind: simple, nullable }
    switch (name) {
      case 'DOUBLE':
        this.accept('PRECISION')
        return { kind: 'double', nullable }
      case 'DECIMAL':
      case 'NUMERIC':
      case 'DEC': {
        const [precision = 10, scale = 0] = this.numbers(2)
        if (precision < 1 || precision > 38 || scale > precision) this.fail()
        return { kind: 'decimal', nullable, precision, scale }
      }
      case 'STRING':
        return { kind: 'varchar', nullable, length: MAX_LENGTH }
      case 'BYTES':
        return { kind: 'varbinary', nullable, length: MAX_LENGTH }
      case 'CHAR':
      case 'VARCHAR':
      case 'BINARY':
      case 'VARBINARY': {
        const [length = 1] = this.numbers(1)
        // CHAR(0) and the like stand for the type of empty literals.
        if (length > MAX_LENGTH) this.fail()
        return { kind: name.toLowerCase() as 'char' | 'varchar' | 'binary' | 'varbinary', nullable, length }
      }
      case 'TIME': {
        const precision = this.fraction(0)
        if (this.accept('WITHOUT')) this.words('TIME', 'ZONE')
        return { kind: 'time', nullable, precision }
      }
      case 'TIMESTAMP': {
        const precision = this.fraction(6)
        if (this.accept('WITH')) {
          this.words('LOCAL', 'TIME', 'ZONE')
          return { kind: 'timestamp_ltz', nullable, precision }
        }
        if (this.accept('WITHOUT')) this.words('TIME', 'ZONE')
        return { kind: 'timestamp', nullable, precision }
      }
      case 'TIMESTAMP_LTZ':
        return { kind: 'timestamp_ltz', nullable, precision: this.fraction(6) }
      case 'GEOMETRY': {
        const [crs] = this.words2()
        return { kind: 'geometry', nullable, ...(crs === undefined ? {} : { crs }) }
      }
      case 'GEOGRAPHY': {
        const [crs, algorithm] = this.words2()
        return {
          kind: 'geography',
          nullable,
          ...(crs === undefined ? {} : { crs }),
          ...(algorithm === undefined ? {} : { algorithm }),
        }
      }
      case 'ARRAY':
      case 'MULTISET': {
        this.need('<')
        const element = this.type(depth + 1)
        this.need('>')
        return { kind: name === 'ARRAY' ? 'array' : 'multiset', nullable, element }
      }
      case 'MAP': {
        this.need('<')
        const key = this.type(depth + 1)
        this.need(',')
        const value = this.type(depth + 1)
        this.need('>')
        return { kind: 'map', nullable, key, value }
      }
      case 'VECTOR': {
        this.need('<')
        const element = this.type(depth + 1)
        this.need(',')
        const length = this.number()
        this.need('>')
        if (length < 1 || length > MAX_LENGTH) this.fail()
        return { kind: 'vector', nullable, element, length }
      }
      default:
        throw placedError('UNSUPPORTED', this.place, `has the type "${this.text}", which is not supported`, this.text)
    }
  }

  private numbers(most: number): number[] {
    const numbers: number[] = []
    if (!this.accept('(')) return numbers
    do numbers.push(this.number())
    while (numbers.length < most && this.accept(','))
    this.need(')')
    return numbers
  }

  private fraction(byDefault: number): number {
    const [precision = byDefault] = this.numbers(1)
    return precision <= 9 ? precision : this.fail()
  }

  private words2(): string[] {
    const words: string[] = []
    if (!this.accept('(')) return words
    do words.push(this.tokens[this.at++]?.text ?? this.fail())
    while (words.length < 2 && this.accept(','))
    this.need(')')
    return words
  }

  private number(): number {
    const token = this.tokens[this.at++]?.text ?? ''
    return /^\d{1,10}$/.test(token) ? Number(token) : this.fail()
  }

  private words(...words: string[]): void {
    for (const word of words) this.need(word)
  }

  private need(token: string): void {
    if (!this.accept(token)) this.fail()
  }

  private accept(token: string): boolean {
    if (this.tokens[this.at]?.upper !== token) return false
    this.at++
    return true
  }

  private fail(): never {
    return corruptAt(this.place, `has the type "${this.text}", which is not well formed`, this.text)
  }
}
