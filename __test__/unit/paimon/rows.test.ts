import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PaimonTable } from '../../../ts/paimon/index.js'

const FIXTURES = join(import.meta.dirname, '../../fixtures/paimon')

/** A time or a timestamp of the fixtures as a count of 10^-digits seconds since midnight or 1970. */
function ticks(text: string, digits: number): bigint {
  const [whole = '', fraction = ''] = text.replace('Z', '').split('.')
  const instant = whole.includes('T') ? whole : `1970-01-01T${whole}`
  return BigInt(Date.parse(`${instant}Z`) / 1000) * 10n ** BigInt(digits) + BigInt(fraction.padEnd(digits, '0'))
}

// The values are the reference's.
describe.each(['parquet', 'orc', 'avro'])('rows of %s files', (format) => {
  const text = readFileSync(join(FIXTURES, `cases/rows/types_${format}__001_all.ndjson`), 'utf8')
  const expected = new Map(text.split('\n').flatMap((line) => (line === '' ? [] : [row(JSON.parse(line))])))

  function row(of: Record<string, unknown>): [unknown, Record<string, unknown>] {
    return [of.id, of]
  }

  it('have times in micros, timestamps in micros or nanos, and integers as wide as they are', async () => {
    const table = await PaimonTable.open(join(FIXTURES, `warehouse/fx.db/types_${format}`))
    let rows = 0
    for await (const found of table.scan().rows()) {
      const wanted = expected.get(found.id)
      expect(wanted).toBeDefined()
      for (const [name, value] of Object.entries(wanted ?? {})) {
        const digits = /^(t|ts|ltz)\d$/.test(name) ? (name.endsWith('9') ? 9 : 6) : undefined
        if (digits !== undefined) {
          expect([name, found[name]]).toEqual([name, value === null ? null : ticks(value as string, digits)])
        } else if (['b', 'ti', 'si', 'i', 's', 'dec5', 'dec18', 'dec38', 'arr', 'rw'].includes(name)) {
          expect([name, found[name]]).toEqual([name, value])
        } else if (name === 'bi') expect(found[name]).toBe(value === null ? null : BigInt(value as string))
      }
      rows++
    }
    expect(rows).toBe(expected.size)
  })

  it('are limited by the smaller limit, which must be a number of rows', async () => {
    const scan = (await PaimonTable.open(join(FIXTURES, `warehouse/fx.db/types_${format}`))).scan().limit(5)
    expect([await scan.count(), await scan.count({ limit: 3 }), await scan.count({ limit: 7 })]).toEqual([5n, 3n, 5n])
    expect((await scan.toTable({ limit: 7 })).numRows).toBe(5)
    for (const limit of [Number.NaN, -1, 1.5]) {
      await expect(scan.count({ limit })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      await expect(scan.toTable({ limit })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })
})
