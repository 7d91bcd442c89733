import type { PartitionTuple } from '../../types/partition.js'
import type { NestedField, StructType } from '../../types/types.js'
import type { ManifestContentFile } from '../manifest/content-file.js'
import type { FileContent } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { Cell } from './arrow.js'
import { BOUNDS, COUNTS, listOf, optional, required } from './columns.js'

const CONTENT_CODES: Record<FileContent, number> = { data: 0, 'position-deletes': 1, 'equality-deletes': 2 }

/** The columns that describe a data or delete file; `partition` is left out for a table that never had a partition field. */
export class ContentFileColumns {
  readonly columns: readonly NestedField[]
  readonly partitionType: StructType
  private readonly partitioned: boolean

  constructor(private readonly metadata: TableMetadata) {
    this.partitionType = metadata.partitionTypeUnion()
    this.partitioned = this.partitionType.fields.length > 0
    this.columns = [
      optional('content', 'int'),
      required('file_path', 'string'),
      required('file_format', 'string'),
      optional('spec_id', 'int'),
      ...(this.partitioned ? [required('partition', this.partitionType)] : []),
      required('record_count', 'long'),
      required('file_size_in_bytes', 'long'),
      optional('column_sizes', COUNTS),
      optional('value_counts', COUNTS),
      optional('null_value_counts', COUNTS),
      optional('nan_value_counts', COUNTS),
      optional('lower_bounds', BOUNDS),
      optional('upper_bounds', BOUNDS),
      optional('key_metadata', 'binary'),
      optional('split_offsets', listOf({ kind: 'long' })),
      optional('equality_ids', listOf({ kind: 'int' })),
      optional('sort_order_id', 'int'),
      optional('first_row_id', 'long'),
      optional('referenced_data_file', 'string'),
      optional('content_offset', 'long'),
      optional('content_size_in_bytes', 'long'),
    ]
  }

  cells(file: ManifestContentFile): readonly Cell[] {
    return [
      CONTENT_CODES[file.content],
      file.path,
      file.format.toUpperCase(),
      file.specId,
      ...(this.partitioned ? [this.partition(file)] : []),
      file.recordCount,
      file.fileSizeInBytes,
      entries(file.columnSizes),
      entries(file.valueCounts),
      entries(file.nullCounts),
      entries(file.nanCounts),
      entries(file.lowerBounds),
      entries(file.upperBounds),
      file.keyMetadata,
      file.splitOffsets,
      file.equalityIds,
      file.sortOrderId,
      file.firstRowId,
      file.referencedDataFile,
      file.contentOffset,
      file.contentSizeInBytes,
    ]
  }

  /** The tuple of the file by the fields of all specs; null where its own spec lacks one. */
  partition(file: ManifestContentFile): PartitionTuple {
    const spec = this.metadata.findSpec(file.specId)
    return this.partitionType.fields.map(({ id }) => {
      const index = spec?.fields.findIndex((field) => field.fieldId === id) ?? -1
      return file.partition[index] ?? null
    })
  }
}

function entries<T>(map: ReadonlyMap<number, T> | undefined): Cell {
  return map === undefined ? undefined : [...map]
}
