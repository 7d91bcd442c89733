import type { FieldSummary, FileMetrics } from '../../expr/node.js'
import type { PartitionSpec, PartitionTuple } from '../../types/partition.js'
import type { PrimitiveType } from '../../types/types.js'

export type ManifestContent = 'data' | 'deletes'

/** One entry of a manifest list (Iceberg spec, "Manifest Lists"); counts are undefined where the writer left them out. */
export interface ManifestFile {
  readonly path: string
  readonly length: bigint
  readonly specId: number
  readonly content: ManifestContent
  readonly sequenceNumber: bigint
  readonly minSequenceNumber: bigint
  readonly addedSnapshotId: bigint | undefined
  readonly addedFilesCount: number | undefined
  readonly existingFilesCount: number | undefined
  readonly deletedFilesCount: number | undefined
  readonly addedRowsCount: bigint | undefined
  readonly existingRowsCount: bigint | undefined
  readonly deletedRowsCount: bigint | undefined
  /** One per field of the spec; undefined where the list holds none: open the manifest. */
  readonly partitions: readonly FieldSummary[] | undefined
  readonly keyMetadata: Uint8Array | undefined
  readonly firstRowId: bigint | undefined
  /** True for a v1 snapshot's embedded `manifests`, which has neither list nor summaries. */
  readonly embedded: boolean
}

export type EntryStatus = 'existing' | 'added' | 'deleted'
export type FileContent = 'data' | 'position-deletes' | 'equality-deletes'
export type FileFormat = 'parquet' | 'avro' | 'orc' | 'puffin'

/** A data or delete file (Iceberg spec, "Manifests", data_file), sequence numbers and row ids already inherited. */
export interface ContentFile extends FileMetrics {
  readonly content: FileContent
  readonly path: string
  readonly format: FileFormat
  readonly specId: number
  /** In the order of the spec's fields. */
  readonly partition: PartitionTuple
  readonly recordCount: bigint
  readonly fileSizeInBytes: bigint
  readonly splitOffsets: readonly bigint[] | undefined
  readonly sortOrderId: number | undefined
  readonly equalityIds: readonly number[] | undefined
  readonly keyMetadata: Uint8Array | undefined
  readonly firstRowId: bigint | undefined
  readonly referencedDataFile: string | undefined
  readonly contentOffset: bigint | undefined
  readonly contentSizeInBytes: bigint | undefined
  readonly dataSequenceNumber: bigint
  readonly fileSequenceNumber: bigint | undefined
}

export interface ManifestEntry {
  readonly status: EntryStatus
  readonly snapshotId: bigint | undefined
  readonly file: ContentFile
}

/** What the header of a manifest says. */
export interface ManifestHeader {
  readonly specId: number
  readonly spec: PartitionSpec
  readonly partitionTypes: readonly PrimitiveType[]
  readonly content: ManifestContent
  readonly formatVersion: number
}
