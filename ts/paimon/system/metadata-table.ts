import type { Table } from 'apache-arrow'
import type { SystemSource } from './source.js'

type Tables = typeof import('./metadata-tables.js').TABLES

/** A system table that is made from metadata alone. */
export type MetadataTableName = keyof Tables

/** By themselves, as making the tables needs apache-arrow, which is loaded by the first of them. */
const NAMES: Record<MetadataTableName, true> = {
  snapshots: true,
  schemas: true,
  options: true,
  tags: true,
  branches: true,
  consumers: true,
  manifests: true,
  files: true,
  file_key_ranges: true,
  file_indexes: true,
  partitions: true,
  buckets: true,
  statistics: true,
  table_indexes: true,
  aggregation_fields: true,
}

/** The system tables that are made from metadata alone. */
export const METADATA_TABLES = Object.keys(NAMES) as readonly MetadataTableName[]

/** Whether a system table is made from metadata alone. */
export function isMetadataTable(name: string): name is MetadataTableName {
  return Object.hasOwn(NAMES, name)
}

/** The rows of a system table that is made from metadata, with the reference's columns. Errors are those of the metadata files read. */
export async function metadataTable(name: MetadataTableName, source: SystemSource): Promise<Table> {
  const { TABLES } = await import('./metadata-tables.js')
  return TABLES[name](source)
}
