import type { Table } from 'apache-arrow'
import { aggregationFieldsTable } from './aggregation-fields.js'
import { fileIndexesTable } from './file-indexes.js'
import { fileKeyRangesTable, filesTable } from './file-rows.js'
import { manifestsTable } from './manifests.js'
import { optionsTable } from './options.js'
import { branchesTable, consumersTable, tagsTable } from './refs.js'
import { schemasTable } from './schemas.js'
import { snapshotsTable } from './snapshots.js'
import type { SystemSource } from './source.js'
import { statisticsTable } from './statistics.js'
import { tableIndexesTable } from './table-indexes.js'
import { bucketsTable, partitionsTable } from './totals.js'

/** How each system table that metadata alone tells is made. */
export const TABLES = {
  snapshots: snapshotsTable,
  schemas: schemasTable,
  options: optionsTable,
  tags: tagsTable,
  branches: branchesTable,
  consumers: consumersTable,
  manifests: manifestsTable,
  files: filesTable,
  file_key_ranges: fileKeyRangesTable,
  file_indexes: fileIndexesTable,
  partitions: partitionsTable,
  buckets: bucketsTable,
  statistics: statisticsTable,
  table_indexes: tableIndexesTable,
  aggregation_fields: aggregationFieldsTable,
} as const satisfies Record<string, (source: SystemSource) => Promise<Table>>
