import { PaimonTable } from '../../paimon/index.js'
import { type RowFormat, rowWriter } from '../output/row-writer.js'
import { Sink } from '../output/sink.js'

/** The branches of a table beside main. */
export async function branchNames(table: PaimonTable): Promise<readonly string[]> {
  return [...((await table.system('branches').toTable()).getChild('branch_name') ?? [])]
}

/** The tags of a table, with the snapshots that they name. */
export async function tagSnapshots(table: PaimonTable): Promise<ReadonlyMap<string, bigint>> {
  const tags = await table.system('tags').toTable()
  const ids = [...(tags.getChild('snapshot_id') ?? [])]
  return new Map([...(tags.getChild('tag_name') ?? [])].map((name, i) => [name, ids[i]]))
}

/** Writes branches and tags of a Paimon table with the snapshots that they stand at. */
export async function writePaimonRefs(table: PaimonTable, format: RowFormat, out: string | undefined): Promise<void> {
  const { io } = table.view
  const writer = rowWriter(format)
  const sink = new Sink(out)
  await sink.write(writer.header(['name', 'type', 'snapshot_id']))
  for (const branch of ['main', ...(await branchNames(table))]) {
    const { view } = await PaimonTable.open(table.location, { io, branch })
    await sink.write(writer.row([branch, 'BRANCH', (await view.snapshots.latest())?.id ?? null]))
  }
  for (const [name, snapshot] of await tagSnapshots(table)) await sink.write(writer.row([name, 'TAG', snapshot]))
  await sink.write(writer.end())
  await sink.end()
}
