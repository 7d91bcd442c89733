import type { JsonObject } from '../../base/json-object.js'

/** When a snapshot became the current one, in milliseconds since 1970. The log's order is not to be relied on. */
export interface SnapshotLogEntry {
  readonly timestampMs: bigint
  readonly snapshotId: bigint
}

/** An earlier metadata file of the table. */
export interface MetadataLogEntry {
  readonly timestampMs: bigint
  readonly metadataFile: string
}

export function parseSnapshotLog(json: JsonObject): readonly SnapshotLogEntry[] {
  return (json.optObjects('snapshot-log') ?? []).map((entry) => ({
    timestampMs: entry.long('timestamp-ms'),
    snapshotId: entry.long('snapshot-id'),
  }))
}

export function parseMetadataLog(json: JsonObject): readonly MetadataLogEntry[] {
  return (json.optObjects('metadata-log') ?? []).map((entry) => ({
    timestampMs: entry.long('timestamp-ms'),
    metadataFile: entry.string('metadata-file'),
  }))
}
