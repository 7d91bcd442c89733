import type { Table } from 'apache-arrow'
import { type Cell, tableOfCells } from '../../arrow/cells.js'
import { BUCKET } from '../metadata/options.js'
import { partitionSpelling, partitionValueText } from '../metadata/partition-path.js'
import type { FileEntry } from '../plan/live-entry.js'
import type { Partition } from '../plan/partitions.js'
import { optional, required } from './columns.js'
import { liveFiles, type SystemSource } from './source.js'
import { rowText } from './value-text.js'

const TOTALS = [
  required('record_count', 'bigint'),
  required('file_size_in_bytes', 'bigint'),
  required('file_count', 'bigint'),
  optional('last_update_time', 'timestamp'),
]

/** Sums over files; what tables of files count are rows of files, not merged. */
class Totals {
  private records = 0n
  private bytes = 0n
  private files = 0n
  private newest: bigint | undefined

  add({ file }: FileEntry): void {
    this.records += file.rowCount
    this.bytes += file.fileSize
    this.files++
    const { creationTime } = file
    if (creationTime !== undefined && (this.newest === undefined || creationTime > this.newest)) {
      this.newest = creationTime
    }
  }

  cells(): Cell[] {
    return [this.records, this.bytes, this.files, this.newest]
  }
}

function totalsBy<K>(entries: readonly FileEntry[], keyOf: (entry: FileEntry) => K): ReadonlyMap<K, Totals> {
  const groups = new Map<K, Totals>()
  for (const entry of entries) {
    const key = keyOf(entry)
    let totals = groups.get(key)
    if (totals === undefined) {
      totals = new Totals()
      groups.set(key, totals)
    }
    totals.add(entry)
  }
  return groups
}

const PARTITION_COLUMNS = [
  optional('partition', 'string'),
  ...TOTALS,
  optional('created_at', 'timestamp'),
  optional('created_by', 'string'),
  optional('updated_by', 'string'),
  optional('options', 'string'),
]

/** The partitions of the snapshot; what only a catalog knows of them is null. */
export async function partitionsTable(source: SystemSource): Promise<Table> {
  // A batch read sees no file that waits for its bucket.
  const hidden = source.view.options.get(BUCKET) === -2
  const files = (await liveFiles(source)).filter((entry) => !hidden || entry.bucket >= 0)
  const groups = totalsBy(files, (entry) => entry.partition)
  const nulls = [null, null, null, null]
  const rows = [...groups].map(([partition, totals]) => [spelled(source, partition), ...totals.cells(), ...nulls])
  return tableOfCells(PARTITION_COLUMNS, rows)
}

/** `k1=v1/k2=v2`, values as a cast to string gives them and not escaped. */
function spelled({ view }: SystemSource, { values }: Partition): string {
  const spelling = { ...partitionSpelling(view.options), legacy: false }
  return view.schema.partitionFields
    .map((field, i) => `${field.name}=${partitionValueText(field, values[i] ?? null, spelling)}`)
    .join('/')
}

const BUCKET_COLUMNS = [optional('partition', 'string'), required('bucket', 'int'), ...TOTALS]

/** The buckets of the snapshot, one that waits for the rows' own too. */
export async function bucketsTable(source: SystemSource): Promise<Table> {
  const entries = await liveFiles(source)
  const fields = source.view.schema.partitionFields
  const rows: Cell[][] = []
  for (const partition of new Set(entries.map((entry) => entry.partition))) {
    const own = entries.filter((entry) => entry.partition === partition)
    for (const [bucket, totals] of totalsBy(own, (entry) => entry.bucket)) {
      rows.push([rowText(fields, partition.values), bucket, ...totals.cells()])
    }
  }
  return tableOfCells(BUCKET_COLUMNS, rows)
}
