import type { Table } from 'apache-arrow'
import type { FileIO } from '../../io/file-io.js'
import type { PartitionTuple } from '../../types/partition.js'
import type { Value } from '../../types/types.js'
import { toHex } from '../../types/utf8.js'
import type { LoadedEntry } from '../manifest/cache.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable } from './arrow.js'
import { micros, optional, required } from './columns.js'
import { ContentFileColumns } from './content-file-columns.js'
import { entriesOf, type InspectOptions } from './source.js'

const COUNTS = [
  required('record_count', 'long'),
  required('file_count', 'int'),
  required('total_data_file_size_in_bytes', 'long'),
  required('position_delete_record_count', 'long'),
  required('position_delete_file_count', 'int'),
  required('equality_delete_record_count', 'long'),
  required('equality_delete_file_count', 'int'),
  optional('last_updated_at', 'timestamptz'),
  optional('last_updated_snapshot_id', 'long'),
]

class Partition {
  specId = 0
  readonly data = { records: 0n, files: 0, bytes: 0n }
  readonly positions = { records: 0n, files: 0, bytes: 0n }
  readonly equality = { records: 0n, files: 0, bytes: 0n }
  updatedMs: bigint | undefined
  updatedBy: bigint | undefined

  constructor(readonly tuple: PartitionTuple) {}

  add({ file, snapshotId }: LoadedEntry, metadata: TableMetadata): void {
    const snapshot = snapshotId === undefined ? undefined : metadata.findSnapshot(snapshotId)
    if (snapshot !== undefined && (this.updatedMs === undefined || snapshot.timestampMs > this.updatedMs)) {
      this.updatedMs = snapshot.timestampMs
      this.updatedBy = snapshot.snapshotId
    }
    // Of several specs that share the partition, the latest.
    this.specId = Math.max(this.specId, file.specId)
    const sums = { data: this.data, 'position-deletes': this.positions, 'equality-deletes': this.equality }[
      file.content
    ]
    sums.records += file.recordCount
    sums.files += 1
    sums.bytes += file.fileSizeInBytes
  }

  counts(): readonly unknown[] {
    return [
      this.data.records,
      this.data.files,
      this.data.bytes,
      this.positions.records,
      this.positions.files,
      this.equality.records,
      this.equality.files,
      this.updatedMs === undefined ? undefined : micros(this.updatedMs),
      this.updatedBy,
    ]
  }
}

/** The partitions of a snapshot with what lies in them; a table that never had a partition field is one partition, without tuple. */
export async function partitionsTable(metadata: TableMetadata, io: FileIO, options: InspectOptions): Promise<Table> {
  const columns = new ContentFileColumns(metadata)
  const partitions = new Map<string, Partition>()
  for await (const entry of entriesOf(metadata, io, new Set(), options)) {
    if (entry.status === 'deleted') continue
    const tuple = columns.partition(entry.file)
    const key = tuple.map(keyOf).join()
    let partition = partitions.get(key)
    if (partition === undefined) {
      partition = new Partition(tuple)
      partitions.set(key, partition)
    }
    partition.add(entry, metadata)
  }
  const all = [...partitions.values()]
  const { partitionType } = columns
  if (partitionType.fields.length === 0) {
    return arrowTable(
      COUNTS,
      all.map((partition) => partition.counts()),
    )
  }
  return arrowTable(
    [required('partition', partitionType), required('spec_id', 'int'), ...COUNTS],
    all.map((partition) => [partition.tuple, partition.specId, ...partition.counts()]),
  )
}

/** Equal for equal values only: text is quoted, -0.0 is not 0.0. */
function keyOf(value: Value | null): string {
  if (value instanceof Uint8Array) return toHex(value)
  if (typeof value === 'string') return JSON.stringify(value)
  return Object.is(value, -0) ? '-0' : String(value)
}
