import type { DataFileMeta } from '../metadata/data-file.js'
import type { Datum } from '../metadata/datum.js'
import { fileFormat } from '../metadata/file-paths.js'
import { join } from '../metadata/paths.js'
import type { RowRange } from './row-ranges.js'

/** Where the deletion vector of a data file is. */
export interface DeletionFile {
  readonly path: string
  readonly offset: number
  readonly length: number
  /** Rows deleted; undefined where not known. */
  readonly cardinality: bigint | undefined
}

/** A whole file that can be read without merging. */
export interface RawFile {
  readonly path: string
  readonly offset: bigint
  readonly length: bigint
  readonly format: string
  readonly schemaId: number
  readonly rowCount: bigint
}

export interface DataSplitInit {
  readonly snapshotId: bigint
  /** The serialized partition row. */
  readonly partition: Uint8Array
  readonly partitionValues: readonly Datum[]
  readonly bucket: number
  /** The folder of the bucket's files. */
  readonly bucketPath: string
  /** The bucket count that the files were written with; undefined where not known. */
  readonly totalBuckets: number | undefined
  readonly dataFiles: readonly DataFileMeta[]
  /** One for each data file, undefined where it has none; undefined: none has. */
  readonly deletionFiles?: readonly (DeletionFile | undefined)[] | undefined
  /** Of a difference: the files of the state before. `dataFiles` are those of the state after. */
  readonly beforeFiles?: readonly DataFileMeta[] | undefined
  readonly beforeDeletionFiles?: readonly (DeletionFile | undefined)[] | undefined
  readonly isStreaming: boolean
  readonly rawConvertible: boolean
  /** Only rows with these ids are wanted. */
  readonly rowRanges?: readonly RowRange[] | undefined
  /** The branch whose schemas the files name. */
  readonly branch?: string | undefined
}

/** Data files of one bucket that are read together: what a plan of a Paimon table is made of. Immutable. */
export class DataSplit {
  readonly snapshotId: bigint
  readonly partition: Uint8Array
  readonly partitionValues: readonly Datum[]
  readonly bucket: number
  readonly bucketPath: string
  readonly totalBuckets: number | undefined
  readonly dataFiles: readonly DataFileMeta[]
  readonly deletionFiles: readonly (DeletionFile | undefined)[] | undefined
  readonly beforeFiles: readonly DataFileMeta[] | undefined
  readonly beforeDeletionFiles: readonly (DeletionFile | undefined)[] | undefined
  readonly isStreaming: boolean
  readonly rawConvertible: boolean
  readonly rowRanges: readonly RowRange[] | undefined
  readonly branch: string

  /** @internal Made by plans, `splitFromJson` and `deserializeSplit`. */
  constructor(init: DataSplitInit) {
    this.snapshotId = init.snapshotId
    this.partition = init.partition
    this.partitionValues = init.partitionValues
    this.bucket = init.bucket
    this.bucketPath = init.bucketPath
    this.totalBuckets = init.totalBuckets
    this.dataFiles = init.dataFiles
    const none = init.deletionFiles?.every((file) => file === undefined) ?? true
    this.deletionFiles = none ? undefined : init.deletionFiles
    this.beforeFiles = init.beforeFiles
    this.beforeDeletionFiles = init.beforeDeletionFiles
    this.isStreaming = init.isStreaming
    this.rawConvertible = init.rawConvertible
    this.rowRanges = init.rowRanges
    this.branch = init.branch ?? 'main'
  }

  /** Rows in the data files, before merging and deletes. */
  get rowCount(): bigint {
    return this.dataFiles.reduce((sum, file) => sum + file.rowCount, 0n)
  }

  /** The exact number of rows that the split gives, if that can be told without reading. */
  get mergedRowCount(): bigint | undefined {
    if (!this.rawConvertible || this.beforeFiles !== undefined || this.rowRanges !== undefined) return undefined
    let deleted = 0n
    for (const file of this.deletionFiles ?? []) {
      if (file === undefined) continue
      if (file.cardinality === undefined) return undefined
      deleted += file.cardinality
    }
    return this.rowCount - deleted
  }

  /** The location of a data file of the split. */
  dataFilePath(file: DataFileMeta): string {
    return file.externalPath ?? join(this.bucketPath, file.fileName)
  }

  /** The files to be read as they are; undefined where rows must be merged. */
  convertToRawFiles(): readonly RawFile[] | undefined {
    if (!this.rawConvertible) return undefined
    return this.dataFiles.map((file) => ({
      path: this.dataFilePath(file),
      offset: 0n,
      length: file.fileSize,
      format: fileFormat(file.fileName),
      schemaId: file.schemaId,
      rowCount: file.rowCount,
    }))
  }
}
