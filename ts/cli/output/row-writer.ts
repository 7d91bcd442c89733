import { stringifyJson } from '../../base/json.js'
import type { JsonValue } from '../../types/types.js'

/** Turns rows into text, piece by piece. */
export interface RowWriter {
  header(columns: readonly string[]): string
  row(values: readonly JsonValue[]): string
  /** What is left once the last row is known. */
  end(): string
}

export const ROW_FORMATS = ['table', 'ndjson', 'csv', 'json'] as const
export type RowFormat = (typeof ROW_FORMATS)[number]

const object = (columns: readonly string[], values: readonly JsonValue[]) =>
  `{${columns.map((name, i) => `${JSON.stringify(name)}:${stringifyJson(values[i] ?? null)}`).join(',')}}`

class NdjsonWriter implements RowWriter {
  #columns: readonly string[] = []
  header(columns: readonly string[]): string {
    this.#columns = columns
    return ''
  }
  row(values: readonly JsonValue[]): string {
    return `${object(this.#columns, values)}\n`
  }
  end(): string {
    return ''
  }
}

class JsonWriter implements RowWriter {
  #columns: readonly string[] = []
  #rows = 0
  header(columns: readonly string[]): string {
    this.#columns = columns
    return '['
  }
  row(values: readonly JsonValue[]): string {
    return `${this.#rows++ === 0 ? '\n' : ',\n'}${object(this.#columns, values)}`
  }
  end(): string {
    return `${this.#rows === 0 ? '' : '\n'}]\n`
  }
}

/** RFC 4180; nested values as JSON, null as an empty field, an empty text as "". */
class CsvWriter implements RowWriter {
  header(columns: readonly string[]): string {
    return this.row(columns)
  }
  row(values: readonly JsonValue[]): string {
    return `${values.map(csvField).join(',')}\r\n`
  }
  end(): string {
    return ''
  }
}

function csvField(value: JsonValue): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Aligned columns for people; widths are taken from the first rows, then rows stream. */
class TableWriter implements RowWriter {
  static readonly SAMPLE = 200
  static readonly WIDEST = 60
  #columns: readonly string[] = []
  #widths: number[] | undefined
  #right: boolean[] = []
  #held: (readonly JsonValue[])[] = []

  header(columns: readonly string[]): string {
    this.#columns = columns
    return ''
  }

  row(values: readonly JsonValue[]): string {
    if (this.#widths !== undefined) return this.#line(values)
    this.#held.push(values)
    return this.#held.length < TableWriter.SAMPLE ? '' : this.#flush()
  }

  end(): string {
    return this.#widths === undefined ? this.#flush() : ''
  }

  #flush(): string {
    const rows = this.#held
    this.#held = []
    const fits = (text: string) => Math.min([...text].length, TableWriter.WIDEST)
    this.#widths = this.#columns.map((name, i) =>
      rows.reduce((width, row) => Math.max(width, fits(tableText(row[i] ?? null))), fits(name)),
    )
    this.#right = this.#columns.map((_, i) => rows.some((row) => ['number', 'bigint'].includes(typeof row[i])))
    const rule = this.#widths.map((width) => '-'.repeat(width))
    return `${this.#line(this.#columns)}${this.#line(rule)}${rows.map((row) => this.#line(row)).join('')}`
  }

  #line(values: readonly JsonValue[]): string {
    const cells = values.map((value, i) => {
      const text = tableText(value)
      const blank = ' '.repeat(Math.max(0, (this.#widths?.[i] ?? 0) - [...text].length))
      return this.#right[i] ? blank + text : text + blank
    })
    return `${cells.join('  ').trimEnd()}\n`
  }
}

/** Control characters would break the lines, or worse, the terminal. */
function tableText(value: JsonValue): string {
  if (value === null) return 'null'
  const text = typeof value === 'string' ? value : stringifyJson(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) => JSON.stringify(char).slice(1, -1))
}

export function rowWriter(format: RowFormat): RowWriter {
  switch (format) {
    case 'ndjson':
      return new NdjsonWriter()
    case 'json':
      return new JsonWriter()
    case 'csv':
      return new CsvWriter()
    default:
      return new TableWriter()
  }
}
