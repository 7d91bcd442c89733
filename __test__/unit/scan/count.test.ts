import { describe, expect, it } from 'vitest'
import { TableScan } from '../../../ts/iceberg/scan/table-scan.js'
import { LocalFileIO } from '../../../ts/io/local.js'
import { casesOf, FIXTURES, metadataOf, scanOf } from '../plan/cases.js'

/** Storage in which no data file can be opened. */
const withoutData = (table: string) =>
  new LocalFileIO({
    rewriteLocations: {
      'file:/lake/iceberg': `${FIXTURES}tables`,
      [`file:/lake/iceberg/${table}/data`]: '/nonexistent',
    },
  })

describe('a count opens no data file', () => {
  it('where every row of the planned files matches', async () => {
    const cases = casesOf('many_manifests').filter(({ plan }) => plan?.every((file) => file.residual === true))
    expect(cases.length).toBeGreaterThan(3)
    for (const testCase of cases) {
      const scan = scanOf(testCase).withIo(withoutData('many_manifests'))
      expect(await scan.count(), testCase.id).toBe(BigInt((testCase as unknown as { count: number }).count))
    }
  })

  it('where column metrics prove it', async () => {
    const metadata = metadataOf('tables/v1_unpartitioned/metadata/v4.metadata.json')
    const scan = TableScan.of(metadata, withoutData('v1_unpartitioned'))
    const all = await scan.count()
    expect(await scan.filter(['>=', 'id', 0]).count()).toBe(all)
    expect(await scan.filter(['<', 'id', 0]).count()).toBe(0n)
    // Part of a file: the file has to be read.
    await expect(scan.filter(['<', 'id', 5]).count()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  it('and stops at its limit', async () => {
    const metadata = metadataOf('tables/many_manifests/metadata/v35.metadata.json')
    const scan = TableScan.of(metadata, withoutData('many_manifests'))
    expect(await scan.count({ limit: 3 })).toBe(3n)
    expect(await scan.count({ limit: 0 })).toBe(0n)
    const all = await scan.count()
    expect(await scan.count({ limit: Number(all) + 1 })).toBe(all)
  })
})

describe('a count is exact', () => {
  it.each(['posdel_partition', 'dv_v3', 'eqdel_basic', 'upgraded_v2_v3'])('in %s', async (table) => {
    const cases = casesOf(table).filter((testCase) => 'count' in testCase)
    expect(cases.length).toBeGreaterThan(10)
    for (const testCase of cases) {
      const expected = BigInt((testCase as unknown as { count: number }).count)
      expect(await scanOf(testCase).count({ numWorkers: 2 }), testCase.id).toBe(expected)
    }
  })
})
