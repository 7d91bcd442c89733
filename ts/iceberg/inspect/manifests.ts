import type { Table } from 'apache-arrow'
import type { FileIO } from '../../io/file-io.js'
import { decodeBound } from '../../types/bounds.js'
import type { PartitionSpec } from '../../types/partition.js'
import type { PrimitiveType } from '../../types/types.js'
import type { ManifestFile } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { arrowTable, type Cell } from './arrow.js'
import { listOf, optional, required, struct } from './columns.js'
import { humanValue } from './human.js'
import { type InspectOptions, manifestsOf } from './source.js'

const SUMMARY = struct([
  required('contains_null', 'boolean'),
  optional('contains_nan', 'boolean'),
  optional('lower_bound', 'string'),
  optional('upper_bound', 'string'),
])

const COLUMNS = [
  required('content', 'int'),
  required('path', 'string'),
  required('length', 'long'),
  optional('partition_spec_id', 'int'),
  optional('added_snapshot_id', 'long'),
  optional('added_data_files_count', 'int'),
  optional('existing_data_files_count', 'int'),
  optional('deleted_data_files_count', 'int'),
  optional('added_delete_files_count', 'int'),
  optional('existing_delete_files_count', 'int'),
  optional('deleted_delete_files_count', 'int'),
  optional('partition_summaries', listOf(SUMMARY)),
]

/** The manifests of a snapshot. Counts that the list does not hold are null. */
export async function manifestsTable(metadata: TableMetadata, io: FileIO, options: InspectOptions): Promise<Table> {
  const manifests = await manifestsOf(metadata, io, options)
  return arrowTable(
    COLUMNS,
    manifests.map((manifest) => {
      const counts = [manifest.addedFilesCount, manifest.existingFilesCount, manifest.deletedFilesCount]
      const none = [0, 0, 0]
      const isData = manifest.content === 'data'
      return [
        isData ? 0 : 1,
        manifest.path,
        manifest.length,
        manifest.specId,
        manifest.addedSnapshotId,
        ...(isData ? counts : none),
        ...(isData ? none : counts),
        summaries(manifest, metadata),
      ]
    }),
  )
}

function summaries(manifest: ManifestFile, metadata: TableMetadata): Cell {
  const spec = metadata.findSpec(manifest.specId)
  const types = spec === undefined ? [] : metadata.partitionTypes(spec)
  return manifest.partitions?.map((summary, i) => [
    summary.containsNull,
    summary.containsNan,
    boundText(spec, types[i], i, summary.lowerBound),
    boundText(spec, types[i], i, summary.upperBound),
  ])
}

function boundText(
  spec: PartitionSpec | undefined,
  type: PrimitiveType | undefined,
  index: number,
  bytes: Uint8Array | undefined,
): string | undefined {
  const field = spec?.fields[index]
  if (bytes === undefined || type === undefined || field === undefined) return undefined
  const value = decodeBound(type, bytes)
  return value === undefined ? undefined : humanValue(field.transform, type, value)
}
