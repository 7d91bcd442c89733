import { readFileSync } from 'node:fs'

import { canonical, type NumberText, parseJson } from './json.js'
import { hasMap, sortFields } from './map-order.js'
import type { Column } from './schema.js'

/** The rows of a file of a case, one canonical JSON text each. */
export function readRows(path: string, columns: readonly Column[]): string[] {
  const variants = new Set(
    columns.filter((c) => c.type.kind === 'primitive' && c.type.name === 'variant').map((c) => c.name),
  )
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const maps = columns.filter((c) => hasMap(c.type))
  if (variants.size === 0 && maps.length === 0) return lines.map((line) => canonical(JSON.parse(line)))
  return lines.map((line) => {
    const row = JSON.parse(line)
    if (variants.size === 0) return canonical(sortFields(row, maps))
    const exact = parseJson(line, { numbers: 'text' }) as { [key: string]: unknown }
    for (const name of variants) if (name in row) row[name] = exact[name]
    return canonical(sortFields(row, maps))
  })
}

/** The first rows that one multiset has and the other has not; empty if they are equal. */
export function compareRows(expected: readonly string[], actual: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const row of expected) counts.set(row, (counts.get(row) ?? 0) + 1)
  for (const row of actual) counts.set(row, (counts.get(row) ?? 0) - 1)
  const problems: string[] = []
  if (expected.length !== actual.length) problems.push(`${actual.length} rows, not ${expected.length}`)
  const say = (row: string) => (row.length > 400 ? `${row.slice(0, 400)}...` : row)
  for (const [row, n] of counts) {
    if (n > 0) problems.push(`${n} times too few: ${say(row)}`)
    if (n < 0) problems.push(`${-n} times too many: ${say(row)}`)
    if (problems.length > 5) break
  }
  return problems
}

/** Undefined if both hold the same rows in the same order. */
export function compareOrder(first: readonly string[], other: readonly string[]): string | undefined {
  if (first.length !== other.length) return `${other.length} rows, not ${first.length}`
  const at = first.findIndex((row, i) => row !== other[i])
  return at < 0
    ? undefined
    : `row ${at} is ${(other[at] as string).slice(0, 200)}, not ${(first[at] as string).slice(0, 200)}`
}

/** Rows before, changes in order, rows after: whether the changes make the one from the other. */
export function replay(before: readonly string[], changes: readonly string[], after: readonly string[]): string[] {
  const state = new Map<string, number>()
  const add = (row: string, n: number) => state.set(row, (state.get(row) ?? 0) + n)
  // Numbers in variants are exact, so that all of them are told by their text.
  const exact = (text: string) => parseJson(text, { numbers: 'text' }) as { [key: string]: unknown }
  for (const row of before) add(canonical(exact(row)), 1)
  const parsed = changes.map((text) => {
    const { _change_type, _change_ordinal, _commit_snapshot_id, ...row } = exact(text)
    const ordinal = Number((_change_ordinal as NumberText).text)
    return { type: _change_type, ordinal, snapshot: _commit_snapshot_id, row: canonical(row) }
  })
  const problems: string[] = []
  const ordinals = [...new Set(parsed.map((change) => change.ordinal))].sort((a, b) => a - b)
  for (const ordinal of ordinals) {
    const step = parsed.filter((change) => change.ordinal === ordinal)
    for (const change of step) {
      if (change.type === 'DELETE') add(change.row, -1)
      else if (change.type === 'INSERT') add(change.row, 1)
      else problems.push(`a change of type ${String(change.type)}`)
    }
    for (const [row, n] of state) if (n < 0) problems.push(`change ${ordinal} deletes a row that is not there: ${row}`)
    if (new Set(step.map((change) => change.snapshot)).size > 1) problems.push(`change ${ordinal} names two snapshots`)
  }
  const rows = [...state].flatMap(([row, n]) => Array<string>(Math.max(n, 0)).fill(row))
  const wanted = after.map((row) => canonical(exact(row)))
  return [...problems, ...compareRows(wanted, rows)]
}
