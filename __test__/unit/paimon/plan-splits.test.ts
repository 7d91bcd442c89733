import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DataSplit } from '../../../ts/paimon/plan/data-split.js'
import { deserializeSplit, serializeSplit } from '../../../ts/paimon/plan/split-binary.js'
import { splitFromJson, splitToJson } from '../../../ts/paimon/plan/split-json.js'
import { ScanContextBuilder } from '../../../ts/paimon/scan/scan-context-builder.js'
import { TableScan } from '../../../ts/paimon/scan/table-scan.js'

const DB = join(import.meta.dirname, '../../fixtures/paimon/warehouse/fx.db')

/** The same, whichever array holds the bytes. */
function shape(split: DataSplit): string {
  return JSON.stringify({ ...split, partitionValues: split.partitionValues }, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  )
}

describe.each(['pk_dv', 'part_types', 'index_embedded', 'data_evolution', 'append_dv'])('splits of %s', (table) => {
  const planned = async () => {
    const scan = await TableScan.create(new ScanContextBuilder(join(DB, table)).finish())
    const plan = await scan.createPlan()
    expect(plan.splits.length).toBeGreaterThan(0)
    return { schema: scan.schema, splits: plan.splits as readonly DataSplit[] }
  }

  it('come back from JSON', async () => {
    const { schema, splits } = await planned()
    for (const split of splits) expect(shape(splitFromJson(splitToJson(split), schema))).toBe(shape(split))
  })

  it('come back from bytes, which begin with the mark and the version', async () => {
    const { schema, splits } = await planned()
    for (const split of splits) {
      const bytes = serializeSplit(split)
      const view = new DataView(bytes.buffer, bytes.byteOffset)
      expect([view.getBigInt64(0), view.getInt32(8)]).toEqual([-2394839472490812314n, 9])
      const back = deserializeSplit(bytes, schema)
      expect(shape(back)).toBe(shape(split))
      for (const cut of [0, 7, 20, bytes.length >> 1, bytes.length - 1]) {
        expect(() => deserializeSplit(bytes.subarray(0, cut), schema)).toThrow(
          expect.objectContaining({ code: 'CORRUPT_FILE' }),
        )
      }
    }
  })
})

describe('the scan of the guide', () => {
  it('plans a batch once', async () => {
    const scan = await TableScan.create(new ScanContextBuilder(join(DB, 'pk_dedup')).finish())
    await scan.createPlan()
    await expect(scan.createPlan()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', context: { endOfScan: true } })
  })

  it('forgets its settings when it is finished', () => {
    const builder = new ScanContextBuilder(join(DB, 'pk_dedup')).setLimit(3).addOption('a', 'b')
    expect(builder.finish()).toMatchObject({ limit: 3 })
    expect(builder.finish()).toMatchObject({ limit: undefined, options: new Map() })
  })

  it('drops options that were added before options are set', () => {
    const { options } = new ScanContextBuilder('/t')
      .addOption('a', '1')
      .setOptions({ b: '2' })
      .addOption('c', '3')
      .finish()
    expect([...options.keys()]).toEqual(['b', 'c'])
  })

  it('refuses an empty path', () => {
    expect(() => new ScanContextBuilder(' // ').finish()).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})
