import type { Table } from 'apache-arrow'
import { type Cell, tableOfCells } from '../../arrow/cells.js'
import { listBranches } from '../metadata/branches.js'
import { findConsumer, listConsumers } from '../metadata/consumers.js'
import { findTag, listTags } from '../metadata/tags.js'
import { wallClock } from './clock.js'
import { optional, required } from './columns.js'
import type { SystemSource } from './source.js'

const TAG_COLUMNS = [
  required('tag_name', 'string'),
  required('snapshot_id', 'bigint'),
  required('schema_id', 'bigint'),
  required('commit_time', 'timestamp'),
  optional('record_count', 'bigint'),
  optional('create_time', 'timestamp'),
  optional('time_retained', 'string'),
]

/** The tags by name. */
export async function tagsTable({ view, options }: SystemSource): Promise<Table> {
  const rows: Cell[][] = []
  for (const name of await listTags(view.io, view.paths)) {
    const tag = await findTag(view.io, view.paths, name, options.signal)
    if (tag === undefined) continue
    const { snapshot, createTime, timeRetained } = tag
    rows.push([
      name,
      snapshot.id,
      BigInt(snapshot.schemaId),
      wallClock(snapshot.timeMillis),
      snapshot.totalRecordCount,
      createTime === undefined ? null : createTime / 1000n,
      timeRetained,
    ])
  }
  return tableOfCells(TAG_COLUMNS, rows)
}

const BRANCH_COLUMNS = [required('branch_name', 'string'), required('create_time', 'timestamp')]

/** The branches beside main by name, with the time when their folder last changed, as the reference has it. */
export async function branchesTable({ view }: SystemSource): Promise<Table> {
  const rows: Cell[][] = []
  for (const name of await listBranches(view.io, view.paths)) {
    const modified = await view.io.modified?.(view.paths.withBranch(name).branchRoot)
    rows.push([name, wallClock(modified ?? 0n)])
  }
  return tableOfCells(BRANCH_COLUMNS, rows)
}

const CONSUMER_COLUMNS = [required('consumer_id', 'string'), required('next_snapshot_id', 'bigint')]

/** How far each consumer has come, by id. */
export async function consumersTable({ view, options }: SystemSource): Promise<Table> {
  const rows: Cell[][] = []
  for (const id of await listConsumers(view.io, view.paths)) {
    const consumer = await findConsumer(view.io, view.paths, id, options.signal)
    if (consumer !== undefined) rows.push([id, consumer.nextSnapshot])
  }
  return tableOfCells(CONSUMER_COLUMNS, rows)
}
