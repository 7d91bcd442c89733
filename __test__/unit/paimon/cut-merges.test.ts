import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import * as lakefold from '../../../ts/index.js'
import * as paimon from '../../../ts/paimon/index.js'
import { loadPaimonCases, type PaimonCase } from '../../conformance/paimon/case.js'
import { LakefoldPaimonEngine } from '../../conformance/paimon/lakefold-engine.js'
import { runPaimonCase } from '../../conformance/paimon/run-case.js'

const { LAKEFOLD_CASES, LAKEFOLD_PIECE_BYTES } = process.env
const cut = vi.hoisted(() => ({ bytes: 500, sections: 0, parts: 0 }))
if (LAKEFOLD_PIECE_BYTES !== undefined) cut.bytes = Number(LAKEFOLD_PIECE_BYTES)

// Pieces so small that the merges of small files are cut by their keys; the parts are counted.
vi.mock('../../../ts/reader/pieces.js', async (original) => {
  const real = await original<typeof import('../../../ts/reader/pieces.js')>()
  return {
    ...real,
    pieceBytes: () => cut.bytes,
    *piecesOf(...args: Parameters<typeof real.piecesOf>) {
      for (const piece of real.piecesOf(...args)) {
        const part = /"part":\{"index":(\d+)/.exec(piece.document)
        if (part !== null) cut.parts++
        if (part?.[1] === '0') cut.sections++
        yield piece
      }
    },
  }
})

const engine = new LakefoldPaimonEngine({ lakefold, paimon })
const root = join(import.meta.dirname, '../../fixtures')
const folders = LAKEFOLD_CASES?.split(',') ?? [join(root, 'paimon'), join(root, 'paimon-found')]

/** Whether a case reads a table with a primary key. */
function isKeyed(folder: string, { table }: PaimonCase): boolean {
  const schema = join(folder, 'warehouse', table.replace('.', '.db/'), 'schema/schema-0')
  return existsSync(schema) && JSON.parse(readFileSync(schema, 'utf8')).primaryKeys.length > 0
}

describe.each(folders)('merges of %s in parts', (folder) => {
  const cases = loadPaimonCases(folder).filter((one) => isKeyed(folder, one))

  it.each(cases.map((one) => [one.id, one] as const))(
    '%s',
    async (_, one) => {
      expect(await runPaimonCase(one, { folder, engine, workers: [1, 2, 4] })).toEqual([])
    },
    300_000,
  )
})

it('cuts sections', () => {
  if (LAKEFOLD_CASES !== undefined) console.log(`${cut.sections} sections in ${cut.parts} parts`)
  expect(cut.sections).toBeGreaterThan(0)
  expect(cut.parts).toBeGreaterThan(2 * cut.sections)
})
