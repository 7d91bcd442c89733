import type { RecordBatch, Table } from 'apache-arrow'
import { LakefoldError } from '../../base/errors.js'
import type { ScanOptions } from '../../exec/options.js'
import { nearNames } from '../../types/near-names.js'
import type { TableView } from '../plan/table-view.js'
import type { PaimonScan } from '../scan/paimon-scan.js'
import { isMetadataTable, METADATA_TABLES, metadataTable } from './metadata-table.js'
import { auditLogReader, auditLogReaders, readOptimizedReader, rowTrackingReader } from './row-tables.js'

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
  /** Options of the scan that a table of rows is made of, such as `incremental-between` for what changed. */
  readonly options?: Readonly<Record<string, string>>
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
    if (isMetadataTable(name)) {
      const { signal, snapshotId } = options
      return metadataTable(name, {
        view: input.view,
        options: { ...(snapshotId !== undefined && { snapshotId }), ...(signal !== undefined && { signal }) },
      })
    }
    if (name !== 'binlog') return (await this.reader(options)).toTable()
    const { schema, readers } = await this.splitReaders(options)
    const { binlogBatches, binlogTable } = await import('./binlog.js')
    const batches: RecordBatch[] = []
    for await (const { reader, isStreaming } of readers) {
      for await (const batch of binlogBatches(reader, isStreaming)) batches.push(batch)
    }
    return binlogTable(schema, batches)
  }

  /** All rows, a batch at a time. */
  async *batches(options: SystemTableOptions = {}): AsyncGenerator<RecordBatch> {
    if (isMetadataTable(this.name)) {
      yield* (await this.toTable(options)).batches
      return
    }
    if (this.name === 'binlog') {
      const { readers } = await this.splitReaders(options)
      const { binlogBatches } = await import('./binlog.js')
      for await (const { reader, isStreaming } of readers) yield* binlogBatches(reader, isStreaming)
      return
    }
    yield* await this.reader(options)
  }

  [Symbol.asyncIterator](): AsyncGenerator<RecordBatch> {
    return this.batches()
  }

  private scan({ snapshotId, options = {} }: Pick<SystemTableOptions, 'snapshotId' | 'options'>) {
    let scan = this.input.scan()
    for (const [key, value] of Object.entries(options)) scan = scan.option(key, value)
    return snapshotId === undefined ? scan : scan.snapshotId(snapshotId)
  }

  /** For the log of changes, in which an update is one row where both of its rows are changes of one split; its arrays hold strings as such. */
  private splitReaders({ snapshotId, options, ...how }: SystemTableOptions) {
    const scan = this.scan({ snapshotId, options })
    return auditLogReaders(scan, this.input.view, { ...how, dictionaries: false })
  }

  private reader({ snapshotId, options, ...how }: SystemTableOptions) {
    const { view } = this.input
    const scan = this.scan({ snapshotId, options })
    switch (this.name) {
      case 'ro':
        return readOptimizedReader(scan, view, how)
      case 'row_tracking':
        return rowTrackingReader(scan, view, how)
      default:
        return auditLogReader(scan, view, how)
    }
  }
}
