import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PaimonTable } from '../../../ts/paimon/index.js'

const FIXTURES = join(import.meta.dirname, '../../fixtures/paimon')

/** Java's Double.compare: NaN is the greatest, -0.0 below 0.0. */
function order(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  if (a !== b) return a - b
  return Number(Object.is(b, -0)) - Number(Object.is(a, -0))
}

const OPERATORS = {
  '=': (c: number) => c === 0,
  '!=': (c: number) => c !== 0,
  '<': (c: number) => c < 0,
  '<=': (c: number) => c <= 0,
  '>': (c: number) => c > 0,
  '>=': (c: number) => c >= 0,
} as const

// The rows are the reference's of a read without a filter.
describe.each(['orc', 'parquet', 'avro'])('floats of %s files with NaN', (format) => {
  const file = join(FIXTURES, `cases/rows/nan_${format}__001_all.ndjson`)
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line.replaceAll('-0.0', '"-0"')) as { id: number; d: number | string; f: number | string },
    )
  const values = [...new Set(rows.flatMap(({ d, f }) => [Number(d), Number(f)])), 9.25, 19.75, 40]

  it.each(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[])('are found by %s', async (operator) => {
    const table = await PaimonTable.open(join(FIXTURES, `warehouse/fx.db/nan_${format}`))
    for (const column of ['d', 'f'] as const) {
      for (const value of values.filter((value) => !Object.is(value, 0) || column === 'f')) {
        const wanted = rows.filter((row) => OPERATORS[operator](order(Number(row[column]), value))).map(({ id }) => id)
        const found: number[] = []
        for (const batch of await table.scan().filter([operator, column, value]).select('id').toBatches()) {
          found.push(...(batch.getChildAt(0)?.toArray() ?? []))
        }
        expect([column, value, found.sort((a, b) => a - b)]).toEqual([column, value, wanted.sort((a, b) => a - b)])
      }
    }
  })
})
