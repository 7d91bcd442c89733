import { describe, expect, it } from 'vitest'
import { col } from '../../../ts/expr/dsl.js'
import { ManifestCache } from '../../../ts/iceberg/manifest/cache.js'
import { TableScan } from '../../../ts/iceberg/scan/table-scan.js'
import type { FileIO } from '../../../ts/io/file-io.js'
import type { ScanReport } from '../../../ts/scan/report.js'
import { failure } from '../failure.js'
import { io, metadataOf } from '../plan/cases.js'

const many = () => metadataOf('tables/many_manifests/metadata/v35.metadata.json')

/** Storage that counts which files are read. */
function counting(): FileIO & { readonly reads: string[] } {
  const reads: string[] = []
  return {
    reads,
    read: (location, range, signal) => {
      reads.push(location)
      return io.read(location, range, signal)
    },
    exists: (location) => io.exists(location),
    list: (folder) => io.list(folder),
    size: (location) => io.size(location),
    resolve: (location) => io.resolve(location),
  }
}

describe('setters', () => {
  it('give new scans and leave the old one alone', async () => {
    const plain = TableScan.of(many(), io)
    const narrow = plain.filter(col('id').lt(0)).select('id').withSplitSize(1)
    expect(narrow).not.toBe(plain)
    expect(plain.projectedFieldIds().length).toBeGreaterThan(1)
    expect(narrow.projectedFieldIds()).toEqual([1])
    expect((await plain.planFiles()).length).toBeGreaterThan((await narrow.planFiles()).length)
  })

  it('filters are joined by and', async () => {
    const scan = TableScan.of(many(), io)
    const twice = await scan.filter(['>', 'id', 5]).filter('id < 10').explain()
    expect(twice.filter).toBe('["and",[">","id",5],["<","id",10]]')
  })

  it('select is checked where rows are read, with near names', async () => {
    const scan = TableScan.of(many(), io).select('idd')
    expect(failure(() => scan.schema())).toMatchObject({ code: 'UNKNOWN_COLUMN', context: { column: 'idd' } })
    await expect(scan.toBatchReader()).rejects.toMatchObject({ code: 'UNKNOWN_COLUMN' })
    expect(failure(() => scan.projectedFieldIds()).code).toBe('UNKNOWN_COLUMN')
  })

  it('a split size is a whole number of bytes', () => {
    for (const size of [-1, 1.5, Number.NaN]) {
      expect(failure(() => TableScan.of(many()).withSplitSize(size)).code).toBe('INVALID_ARGUMENT')
    }
  })
})

describe('snapshots', () => {
  const pinned = () => TableScan.of(many(), io).useSnapshot(many().currentSnapshotId!)

  it('are found by bigint and text, exactly; a number beyond 2^53 is refused', () => {
    const id = many().currentSnapshotId!
    expect(TableScan.of(many()).useSnapshot(String(id)).snapshot()?.snapshotId).toBe(id)
    expect(failure(() => TableScan.of(many()).useSnapshot(Number(id))).code).toBe('INVALID_ARGUMENT')
    expect(failure(() => TableScan.of(many()).useSnapshot('x')).code).toBe('INVALID_ARGUMENT')
    expect(failure(() => TableScan.of(many()).useSnapshot(1)).code).toBe('UNKNOWN_SNAPSHOT')
  })

  it('a second one is refused, main is none', () => {
    const id = many().currentSnapshotId!
    expect(failure(() => pinned().useSnapshot(id)).code).toBe('INVALID_ARGUMENT')
    expect(failure(() => pinned().asOf(Number.MAX_SAFE_INTEGER)).code).toBe('INVALID_ARGUMENT')
    expect(pinned().useRef('main').snapshot()?.snapshotId).toBe(id)
  })

  it('unknown refs and times are errors', () => {
    expect(failure(() => TableScan.of(many()).useRef('nope'))).toMatchObject({
      code: 'UNKNOWN_REF',
      context: { ref: 'nope' },
    })
    expect(failure(() => TableScan.of(many()).asOf(0)).code).toBe('UNKNOWN_SNAPSHOT')
    expect(failure(() => TableScan.of(many()).asOf(Number.NaN)).code).toBe('INVALID_ARGUMENT')
  })
})

describe('plans', () => {
  it('print the eight keys in order, and integers exactly', async () => {
    const scan = TableScan.of(many(), io).filter(col('id').eq(3))
    const text = await scan.planFilesJson()
    const [task] = await scan.planFiles()
    const { path, fileSizeInBytes: size, recordCount } = task!.dataFile
    const ids = scan.projectedFieldIds().join()
    expect(text).toBe(
      `[{"data-file-path":"${path}","deletes":[],"file-format":"parquet","file-size-in-bytes":${size},` +
        `"length":${size},"project-field-ids":[${ids}],"record-count":${recordCount},"start":0}]`,
    )
  })

  it('come back whole from their full JSON', async () => {
    const metadata = metadataOf('tables/mixed_deletes/metadata/v11.metadata.json')
    const scan = TableScan.of(metadata, io).filter(col('id').lt(40)).withSplitSize(1)
    const tasks = await scan.planFiles()
    const again = scan.readPlan(await scan.planFilesJson({ full: true }))
    // Bounds of file_path only spare the reader a file; the plan's JSON does not have them.
    const withoutBounds = (text: string) => text.replaceAll(/"(lower|upper)-path":("[^"]*"|null)/g, '"$1-path":null')
    expect(again.map((task) => task.toJson())).toEqual(tasks.map((task) => withoutBounds(task.toJson())))
  })

  it('read each manifest once with a cache, and are the same with and without it', async () => {
    const storage = counting()
    const scan = TableScan.of(many(), storage)
    const plain = await scan.planFilesJson()
    const before = storage.reads.length
    const cache = new ManifestCache()
    await scan.planFilesWith(cache)
    expect(await scan.planFilesJson({ cache })).toBe(plain)
    // The second plan reads the manifest list alone.
    expect(storage.reads.length).toBe(2 * before + 1)
  })

  it('stop reading manifests when the loop is left', async () => {
    const storage = counting()
    for await (const _ of TableScan.of(many(), storage).tasks({ readAhead: 2 })) break
    expect(storage.reads.length).toBeLessThanOrEqual(4)
  })

  it('read only as many manifests as a limit needs', async () => {
    const storage = counting()
    const reader = await TableScan.of(many(), storage).toBatchReader({ limit: 1 })
    await reader.close()
    expect(storage.reads.length).toBeLessThanOrEqual(3)
  })

  it('are cancelled by a signal', async () => {
    const stop = new AbortController()
    const storage = counting()
    const plan = TableScan.of(many(), storage).tasks({ signal: stop.signal })
    await plan.next()
    stop.abort()
    await expect(plan.next()).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(TableScan.of(many(), io).planFiles({ signal: stop.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })

  it('a manifest that is gone rejects before any row', async () => {
    const gone = {
      ...counting(),
      read: (location: string) => (location.endsWith('m0.avro') ? io.read(`${location}.gone`) : io.read(location)),
    }
    await expect(TableScan.of(many(), gone).toBatchReader()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })
})

describe('explain', () => {
  it('says what each prune dropped and which part of the filter did it', async () => {
    let report: ScanReport | undefined
    const scan = TableScan.of(many(), io).filter(['and', ['=', 'id', 3], ['not-null', 'id']])
    const explained = await scan.reportTo((made) => (report = made)).explain()
    expect(explained.metrics).toEqual(report?.metrics)
    const { metrics, dropped } = explained
    const of = (kind: string) => dropped.filter((one) => one.kind === kind).length
    expect(of('data-manifest')).toBe(metrics['skipped-data-manifests'])
    expect(of('data-file')).toBe(metrics['skipped-data-files'])
    expect(dropped.length).toBeGreaterThan(0)
    for (const { why, path } of dropped) {
      expect(why).toEqual(['["=","id",3]'])
      expect(path).toContain('many_manifests')
    }
  })
})
