import type { Column, ColumnType } from '../schema.js'

/** Reads the type text of a case, such as `` ROW<`a` INT, `b` ARRAY<STRING>> NOT NULL ``: the runner does not ask the reader. */
export function parseType(text: string): ColumnType {
  const parser = new Parser(text)
  const type = parser.type()
  parser.end()
  return type
}

/** The columns of a case. */
export function columnsOf(columns: readonly { readonly name: string; readonly type: string }[]): Column[] {
  return columns.map(({ name, type }) => ({ name, required: / NOT NULL$/.test(type), type: parseType(type) }))
}

const primitive = (name: string, args: number[] = []): ColumnType => ({ kind: 'primitive', name, args })

class Parser {
  private at = 0

  constructor(private readonly text: string) {}

  type(): ColumnType {
    const type = this.bare()
    this.take(/ NOT NULL/y)
    return type
  }

  end(): void {
    if (this.at !== this.text.length) this.fail()
  }

  private bare(): ColumnType {
    const name = this.need(/[A-Z]+/y).toLowerCase()
    if (this.take(/</y) !== undefined) return this.nested(name)
    const args = (this.take(/\([\d, ]+\)/y) ?? '').match(/\d+/g)?.map(Number) ?? []
    if (name === 'timestamp' && this.take(/ WITH LOCAL TIME ZONE/y) !== undefined)
      return primitive('timestamp_ltz', args)
    return primitive(name, args)
  }

  private nested(name: string): ColumnType {
    const type = this.parts(name)
    this.need(/>/y)
    return type
  }

  private parts(name: string): ColumnType {
    switch (name) {
      case 'array':
        return { kind: 'list', element: this.type() }
      case 'multiset':
        return { kind: 'map', key: this.type(), value: primitive('int') }
      case 'map': {
        const key = this.type()
        this.need(/, /y)
        return { kind: 'map', key, value: this.type() }
      }
      case 'row': {
        const fields: Column[] = []
        do {
          const quoted = this.need(/`[^`]+` /y)
          fields.push({ name: quoted.slice(1, -2), required: false, type: this.type() })
        } while (this.take(/, /y) !== undefined)
        return { kind: 'struct', fields }
      }
      default:
        return this.fail()
    }
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private need(pattern: RegExp): string {
    return this.take(pattern) ?? this.fail()
  }

  private fail(): never {
    throw new Error(`a type that the runner does not know, at ${this.at}: ${this.text}`)
  }
}
