import type { JsonObject } from '../../base/json-object.js'

/** A blob of a Puffin statistics file, as the metadata describes it. */
export interface StatisticsBlob {
  readonly type: string
  readonly snapshotId: bigint
  readonly sequenceNumber: bigint
  readonly fields: readonly number[]
  readonly properties: ReadonlyMap<string, string>
}

/** A Puffin file with statistics of a snapshot (Iceberg spec, "Table Statistics"); sizes in bytes. */
export interface StatisticsFile {
  readonly snapshotId: bigint
  readonly statisticsPath: string
  readonly fileSizeInBytes: bigint
  readonly fileFooterSizeInBytes: bigint
  readonly keyMetadata: string | undefined
  readonly blobs: readonly StatisticsBlob[]
}

/** A file with statistics per partition (Iceberg spec, "Partition Statistics"). */
export interface PartitionStatisticsFile {
  readonly snapshotId: bigint
  readonly statisticsPath: string
  readonly fileSizeInBytes: bigint
}

export function parseStatisticsFile(json: JsonObject): StatisticsFile {
  return {
    snapshotId: json.long('snapshot-id'),
    statisticsPath: json.string('statistics-path'),
    fileSizeInBytes: json.long('file-size-in-bytes'),
    fileFooterSizeInBytes: json.long('file-footer-size-in-bytes'),
    keyMetadata: json.optString('key-metadata'),
    blobs: json.objects('blob-metadata').map((blob) => ({
      type: blob.string('type'),
      snapshotId: blob.long('snapshot-id'),
      sequenceNumber: blob.long('sequence-number'),
      fields: blob.optInts('fields') ?? [],
      properties: blob.optStringMap('properties') ?? new Map(),
    })),
  }
}

export function parsePartitionStatisticsFile(json: JsonObject): PartitionStatisticsFile {
  return {
    snapshotId: json.long('snapshot-id'),
    statisticsPath: json.string('statistics-path'),
    fileSizeInBytes: json.long('file-size-in-bytes'),
  }
}
