import type { JsonValue } from '../types/types.js'

/** The version of the task document that this build writes and reads (crates/task has the same). */
export const TASK_VERSION = 1

/** Formats of data and delete files. */
export type TaskFileFormat = 'parquet' | 'orc' | 'avro' | 'puffin'

/** A field of the partition spec of a file. */
export interface TaskPartitionField {
  readonly fieldId: number
  readonly name: string
  readonly sourceIds: readonly number[]
  /** As in metadata: `identity`, `bucket[16]`. */
  readonly transform: string
  /** The type of the transform's result, as in schemas. */
  readonly type: JsonValue
}

/** The data file of a task. Byte counts are numbers; counts, ids and sequence numbers are bigints. */
export interface TaskDataFile {
  /** The path as the manifest has it; what `_file` returns. */
  readonly path: string
  /** Where the file is opened, after location rewrites. */
  readonly location: string
  readonly format: TaskFileFormat
  /** As the manifest has it, in bytes; may be wrong. */
  readonly fileSizeInBytes: number
  /** As the manifest has it; negative where the writer did not know. */
  readonly recordCount: bigint
  readonly specId: number
  readonly dataSequenceNumber: bigint
  readonly fileSequenceNumber: bigint | undefined
  /** Row id of the first row (v3). */
  readonly firstRowId: bigint | undefined
  readonly partitionFields: readonly TaskPartitionField[]
  /** Single-value JSON, one per partition field; null where the value is null. */
  readonly partitionValues: readonly JsonValue[]
}

/** What a delete file holds. */
export type DeleteContent = 'puffin-dv' | 'positions' | 'equality'

/** A file whose content hides rows of the data file. */
export interface TaskDeleteFile {
  readonly content: DeleteContent
  readonly path: string
  readonly location: string
  readonly format: TaskFileFormat
  readonly fileSizeInBytes: number
  /** Delete rows, or a vector's cardinality. */
  readonly recordCount: bigint
  readonly dataSequenceNumber: bigint
  readonly specId: number
  /** Byte range of a deletion vector's blob. */
  readonly contentOffset: number | undefined
  readonly contentSizeInBytes: number | undefined
  readonly referencedDataFile: string | undefined
  readonly equalityIds: readonly number[] | undefined
  /** The key's columns as schema fields (JSON), pruned to the key's leaves. */
  readonly equalityFields: readonly JsonValue[] | undefined
  /** Bounds of `file_path` in a position delete file; may be cut or inverted. */
  readonly lowerPath: string | undefined
  readonly upperPath: string | undefined
}

/** What is left of the filter for one file. */
export interface TaskResidual {
  /** In the array DSL; `["true"]` when nothing is left. */
  readonly text: string
  /** The form that the decoder runs, as JSON text. */
  readonly json: string
}

/** What all tasks of a scan share, as JSON text, so that a hundred thousand tasks print it once. */
export interface TaskScan {
  readonly partitionType: string
  readonly schema: string
  readonly projection: string
  readonly nameMapping: string
}

/** Everything about a task but its byte range; the pieces of a file share one of these. */
export interface TaskParts {
  readonly scan: TaskScan
  readonly snapshotId: bigint | undefined
  readonly dataFile: TaskDataFile
  readonly deleteFiles: readonly TaskDeleteFile[]
  /** Changelog: only rows that these hide are returned. */
  readonly onlyDeletedBy: readonly TaskDeleteFile[] | undefined
  readonly residual: TaskResidual
  /** Columns that are the same for the whole task: single-value JSON by field id. */
  readonly constants: ReadonlyMap<number, JsonValue>
}
