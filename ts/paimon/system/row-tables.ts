import type { Schema } from 'apache-arrow'

import type { ScanOptions } from '../../exec/options.js'
import type { BatchReader } from '../../reader/batch-reader.js'
import { NUM_LEVELS, NUM_SORTED_RUNS_COMPACTION_TRIGGER } from '../metadata/options.js'
import { DataSplit } from '../plan/data-split.js'
import type { LevelWish } from '../plan/entry-source.js'
import { PlanCounts } from '../plan/scan-metrics.js'
import { scanRequest } from '../plan/scan-request.js'
import { SnapshotReader } from '../plan/snapshot-reader.js'
import type { TableView } from '../plan/table-view.js'
import type { PaimonScan } from '../scan/paimon-scan.js'
import { TableRead } from '../scan/table-read.js'

/** The table's rows with their kind (`+I`, `-U`, `+U`, `-D`) first, those that retract too. */
export function auditLogReader(scan: PaimonScan, view: TableView, options: ScanOptions): Promise<BatchReader> {
  return scan.select('rowkind', ...columnsOf(view)).toBatchReader(options)
}

/** The schema of what they read, and readers of one split each, to be read one after the other. */
export interface SplitReaders {
  readonly schema: Schema
  readonly readers: AsyncGenerator<{ readonly isStreaming: boolean; readonly reader: BatchReader }, void, undefined>
}

/** What {@link auditLogReader} reads, split by split. */
export async function auditLogReaders(
  scan: PaimonScan,
  view: TableView,
  { limit, ...options }: ScanOptions,
): Promise<SplitReaders> {
  const planned = await scan.toTableScan(options.signal)
  const { splits } = await planned.createPlan({ signal: options.signal })
  const read = await TableRead.create(planned, { columns: ['rowkind', ...columnsOf(view)] })
  async function* readers() {
    let left = limit
    for (const split of splits) {
      const reader = read.toBatchReader(split, { ...options, ...(left !== undefined && { limit: left }) })
      yield { isStreaming: split instanceof DataSplit && split.isStreaming, reader }
      if (left !== undefined) left -= reader.rows
    }
  }
  return { schema: read.arrowSchema(), readers: readers() }
}

/** The table's rows with their row id and the sequence number that last changed them. */
export function rowTrackingReader(scan: PaimonScan, view: TableView, options: ScanOptions): Promise<BatchReader> {
  return scan.select(...columnsOf(view), '_ROW_ID', '_SEQUENCE_NUMBER').toBatchReader(options)
}

/** The rows that need no merging: those of fully compacted files. Newer rows that wait for a compaction are not seen. */
export async function readOptimizedReader(
  scan: PaimonScan,
  view: TableView,
  options: ScanOptions,
): Promise<BatchReader> {
  if (!view.schema.hasPrimaryKey) return scan.toBatchReader(options)
  const planned = await scan.toTableScan(options.signal)
  const read = await TableRead.create(planned)
  const snapshot = await view.snapshots.latest(options.signal)
  if (snapshot === undefined) return read.toBatchReader([], options)
  const wish = {
    predicate: planned.target?.predicate ?? { op: 'true' as const },
    partitionFilter: [],
    bucket: undefined,
    limit: undefined,
    rowRanges: undefined,
    cache: undefined,
  }
  const reader = new SnapshotReader(view, scanRequest(view, wish), new PlanCounts(), options.signal)
  return read.toBatchReader(await reader.splits(snapshot, 'all', compactedLevels(view)), options)
}

function compactedLevels({ options }: TableView): LevelWish {
  const top = (options.get(NUM_LEVELS) ?? options.get(NUM_SORTED_RUNS_COMPACTION_TRIGGER) + 1) - 1
  return { level: (level) => level === top, minLevel: top, forceValues: true }
}

function columnsOf(view: TableView): string[] {
  return view.schema.fields.map((field) => field.name)
}
