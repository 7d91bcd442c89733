import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LocalFileIO } from '../../../ts/io/local.js'
import { PaimonTable, ScanContextBuilder, TableScan } from '../../../ts/paimon/index.js'

const FIXTURE = join(import.meta.dirname, '../../fixtures/paimon/warehouse/fx.db/consumer')

let table: string
beforeEach(async () => {
  table = join(await mkdtemp(join(tmpdir(), 'lakefold-')), 'consumer')
  await cp(FIXTURE, table, { recursive: true })
})
afterEach(() => rm(join(table, '..'), { recursive: true }))

const streamOf = (id?: string) => {
  const builder = new ScanContextBuilder(table).withStreamingMode(true).addOption('scan.snapshot-id', '1')
  return TableScan.create((id === undefined ? builder : builder.addOption('consumer-id', id)).finish())
}
const textOf = (id: string) => readFile(join(table, 'consumer', `consumer-${id}`), 'utf8')

describe('a stream of a consumer', () => {
  it('writes its position when a checkpoint is complete, as the reference writes it', async () => {
    const [known] = (await readdir(join(FIXTURE, 'consumer'))) as [string]
    const written = await readFile(join(FIXTURE, 'consumer', known), 'utf8')
    const scan = await streamOf('mine')
    const { snapshotId } = await scan.createPlan()
    expect(snapshotId).toBe(1n)
    await expect(textOf('mine')).rejects.toMatchObject({ code: 'ENOENT' })
    await scan.notifyCheckpointComplete(scan.checkpoint)
    expect(await textOf('mine')).toBe(written.replace(/\d+/, '2'))
    expect(await readdir(join(table, 'consumer'))).toEqual(['consumer-mine', known].sort())
  })

  it('goes on where its last complete checkpoint was', async () => {
    const first = await streamOf('mine')
    await first.createPlan()
    const checkpoint = first.checkpoint
    await first.createPlan()
    await first.notifyCheckpointComplete(checkpoint)
    const again = await streamOf('mine')
    expect((await again.createPlan()).snapshotId).toBe(2n)
    // A position that is restored wins over the consumer's.
    again.restore(1n)
    expect((await again.createPlan()).snapshotId).toBe(1n)
  })

  it('keeps no position without an id, or for no checkpoint', async () => {
    const before = await readdir(join(table, 'consumer'))
    await (await streamOf()).notifyCheckpointComplete(2n)
    await (await streamOf('mine')).notifyCheckpointComplete(undefined)
    expect(await readdir(join(table, 'consumer'))).toEqual(before)
  })

  it('can be reset and forgotten', async () => {
    const opened = await PaimonTable.open(table)
    await opened.resetConsumer('mine', 3)
    expect((await (await streamOf('mine')).createPlan()).snapshotId).toBe(3n)
    await opened.resetConsumer('mine', undefined)
    await opened.resetConsumer('never', undefined)
    expect((await (await streamOf('mine')).createPlan()).snapshotId).toBe(1n)
    await expect(opened.resetConsumer('mine', 0)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(opened.resetConsumer('a/b', 1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('is refused by name where the storage takes no files', async () => {
    const local = new LocalFileIO()
    const readOnly = {
      read: local.read.bind(local),
      exists: local.exists.bind(local),
      list: local.list.bind(local),
      size: local.size.bind(local),
      resolve: local.resolve.bind(local),
    }
    const opened = await PaimonTable.open(table, { io: readOnly })
    await expect(opened.resetConsumer('mine', 2)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      context: { file: join(table, 'consumer/consumer-mine') },
    })
  })
})

// As the reference, which says: cannot scan from watermark in streaming mode.
it('a stream does not begin at a watermark', async () => {
  const builder = new ScanContextBuilder(table).withStreamingMode(true)
  const scan = await TableScan.create(builder.addOption('scan.watermark', '1').finish())
  await expect(scan.createPlan()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    context: { option: 'scan.watermark' },
  })
})
