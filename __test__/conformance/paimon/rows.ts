import { readFileSync } from 'node:fs'

import { canonical, parseJson } from '../json.js'
import { sortedMap } from '../map-order.js'
import type { Column, ColumnType } from '../schema.js'

/** A row, of a case or of the reader, by column name, with `_kind` and `_plan` where a case has them. */
export type Row = { readonly [name: string]: unknown }

/** The rows of a file of a case as the reader's are encoded. */
export function readCaseRows(path: string, columns: readonly Column[]): Row[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => expectedRow(JSON.parse(line) as Row, columns))
}

function expectedRow(row: Row, columns: readonly Column[]): Row {
  const out: { [name: string]: unknown } = { ...row }
  for (const { name, type } of columns) if (name in out) out[name] = expectedValue(out[name], type)
  return out
}

function expectedValue(value: unknown, type: ColumnType): unknown {
  if (value === null || value === undefined) return null
  switch (type.kind) {
    case 'struct':
      return expectedRow(value as Row, type.fields)
    case 'list':
      return (value as unknown[]).map((element) => expectedValue(element, type.element))
    case 'map':
      return sortedMap(
        (value as [unknown, unknown][]).map(([key, item]) => [
          expectedValue(key, type.key),
          expectedValue(item, type.value),
        ]),
      )
    default:
      if (type.name === 'float' && typeof value === 'number') return Math.fround(value)
      if (type.name === 'variant') {
        const { json, ...bytes } = value as { json: string }
        return { ...bytes, json: canonical(parseJson(json, { numbers: 'text' })) }
      }
      return value
  }
}

/** Rows as texts that are equal for equal rows; arrays of the columns named compare as multisets. */
export function rowTexts(rows: readonly Row[], unorderedArrays: readonly string[] = []): string[] {
  if (unorderedArrays.length === 0) return rows.map(canonical)
  return rows.map((row) => {
    const out: { [name: string]: unknown } = { ...row }
    for (const name of unorderedArrays) {
      const array = out[name]
      if (Array.isArray(array)) out[name] = array.map(canonical).sort()
    }
    return canonical(out)
  })
}

/** Undefined if `actual` is `count` of the rows of `whole`. */
export function anyRowsOf(whole: readonly string[], actual: readonly string[], count: number): string[] {
  const problems = actual.length === count ? [] : [`${actual.length} rows, not ${count}`]
  const left = new Map<string, number>()
  for (const row of whole) left.set(row, (left.get(row) ?? 0) + 1)
  for (const row of actual) {
    const n = left.get(row) ?? 0
    if (n === 0) problems.push(`not a row of the table: ${row.slice(0, 400)}`)
    left.set(row, n - 1)
    if (problems.length > 5) break
  }
  return problems
}
