import { type RecordBatch, Table } from 'apache-arrow'
import { LakefoldError } from '../../base/errors.js'
import type { ScanOptions } from '../../exec/options.js'
import { nearNames } from '../../types/near-names.js'
import type { TableView } from '../plan/table-view.js'
import type { PaimonScan } from '../scan/paimon-scan.js'
import { binlogBatches, binlogSchema } from './binlog.js'
import { isMetadataTable, METADATA_TABLES, metadataTable } from './metadata-table.js'
import { auditLogReader, readOptimizedReader, rowTrackingReader } from './row-tables.js'

const ROW_TABLES = ['audit_log', 'binlog', 'ro', 'row_tracking'] as const

/** The names of the system tables, as they follow the `$` in a table's name. */
export const SYSTEM_TABLES: readonly string[] = [...METADATA_TABLES, ...ROW_TABLES]

/** What a system table is made from. */
export interface SystemTableInput {
  readonly view: TableView
  /** A scan of all rows of the table. */
  readonly scan: () => PaimonScan
}

/** How a system table is read; for those of rows, how rows are. */
export interface SystemTableOptions extends ScanOptions {
  /** Which snapshot tables of files look at; the newest by default. */
  readonly snapshotId?: bigint
}

/**
 * A system table of a Paimon table: its metadata as rows, or its rows seen in another way.
 *
 * @example
 * ```ts
 * const files = await (await openTable('/lake/db.db/t$files')).toTable()
 * ```
 */
export class SystemTable {
  /** @internal Made by `PaimonTable.system()`. @throws LakefoldError INVALID_ARGUMENT naming those that there are */
  constructor(
    readonly name: string,
    private readonly input: SystemTableInput,
  ) {
    if (SYSTEM_TABLES.includes(name)) return
    const near = nearNames(name, SYSTEM_TABLES)
    const hint = near.length === 0 ? `these are ${SYSTEM_TABLES.join(', ')}` : `near: ${near.join(', ')}`
    throw new LakefoldError('INVALID_ARGUMENT', `There is no system table "${name}" (${hint})`, {
      context: { systemTable: name, systemTables: SYSTEM_TABLES },
    })
  }

  /** All rows. */
  async toTable(options: SystemTableOptions = {}): Promise<Table> {
    const { name, input } = this
    const { snapshotId, ...scanOptions } = options
    if (isMetadataTable(name)) {
      const { signal } = options
      return metadataTable(name, {
        view: input.view,
        options: { ...(snapshotId !== undefined && { snapshotId }), ...(signal !== undefined && { signal }) },
      })
    }
    const reader = await this.reader(
      snapshotId === undefined ? input.scan() : input.scan().snapshotId(snapshotId),
      scanOptions,
    )
    if (name !== 'binlog') return reader.toTable()
    const batches: RecordBatch[] = []
    for await (const batch of binlogBatches(reader)) batches.push(batch)
    return new Table(binlogSchema(reader.schema), batches)
  }

  /** All rows, a batch at a time. */
  async *batches(options: SystemTableOptions = {}): AsyncGenerator<RecordBatch> {
    if (isMetadataTable(this.name)) {
      yield* (await this.toTable(options)).batches
      return
    }
    const { snapshotId, ...scanOptions } = options
    const scan = snapshotId === undefined ? this.input.scan() : this.input.scan().snapshotId(snapshotId)
    const reader = await this.reader(scan, scanOptions)
    yield* this.name === 'binlog' ? binlogBatches(reader) : reader
  }

  [Symbol.asyncIterator](): AsyncGenerator<RecordBatch> {
    return this.batches()
  }

  private reader(scan: PaimonScan, options: ScanOptions) {
    const { view } = this.input
    switch (this.name) {
      case 'ro':
        return readOptimizedReader(scan, view, options)
      case 'row_tracking':
        return rowTrackingReader(scan, view, options)
      default:
        return auditLogReader(scan, view, options)
    }
  }
}

/** What follows the last `/` of a location: a table, maybe of a branch, and maybe one of its system tables. */
export interface TableName {
  readonly location: string
  readonly branch?: string
  readonly systemTable?: string
}

/** Takes `t$files` and `t$branch_b$files` apart; a location without `$` is itself. */
export function parseTableName(location: string): TableName {
  const match = /^([^$]*[^$/])(?:\$branch_([^$/]+))?(?:\$([a-z_]+))?\/*$/.exec(location)
  if (match === null || (match[2] === undefined && match[3] === undefined)) return { location }
  const [, table = location, branch, systemTable] = match
  if (branch === undefined && systemTable?.startsWith('branch_'))
    return { location: table, branch: systemTable.slice(7) }
  return { location: table, ...(branch !== undefined && { branch }), ...(systemTable !== undefined && { systemTable }) }
}
