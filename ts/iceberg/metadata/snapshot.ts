import type { JsonObject } from '../../base/json-object.js'

/** A snapshot of a table (Iceberg spec, "Snapshots"). */
export interface Snapshot {
  readonly snapshotId: bigint
  /** May name a snapshot that has expired. */
  readonly parentSnapshotId: bigint | undefined
  /** 0 in v1. */
  readonly sequenceNumber: bigint
  /** Milliseconds since 1970, UTC. */
  readonly timestampMs: bigint
  readonly manifestList: string | undefined
  /** Locations of manifests, in v1 snapshots that have no manifest list. */
  readonly manifests: readonly string[] | undefined
  /** Without `operation`; empty where the snapshot has none. For people: its counts are not to be relied on. */
  readonly summary: ReadonlyMap<string, string>
  /** `append`, `replace`, `overwrite`, `delete`; undefined where there is no summary. */
  readonly operation: string | undefined
  readonly schemaId: number | undefined
  /** v3: the first `_row_id` of the rows that it added, and how many it assigned. */
  readonly firstRowId: bigint | undefined
  readonly addedRows: bigint | undefined
  /** Id of the key that encrypts the manifest list. */
  readonly keyId: string | undefined
}

export function parseSnapshot(json: JsonObject): Snapshot {
  const manifestList = json.optString('manifest-list')
  const manifests = json.optStrings('manifests')
  if (manifestList === undefined && manifests === undefined) json.fail('manifest-list', 'is missing', undefined)
  const summary = new Map(json.optStringMap('summary'))
  const operation = summary.get('operation')
  summary.delete('operation')
  return {
    snapshotId: json.long('snapshot-id'),
    parentSnapshotId: json.optLong('parent-snapshot-id'),
    sequenceNumber: json.optLong('sequence-number') ?? 0n,
    timestampMs: json.long('timestamp-ms'),
    manifestList,
    manifests: manifestList === undefined ? manifests : undefined,
    summary,
    operation: operation ?? (json.has('summary') ? 'overwrite' : undefined),
    schemaId: json.optInt('schema-id'),
    firstRowId: json.optLong('first-row-id'),
    addedRows: json.optLong('added-rows'),
    keyId: json.optString('key-id'),
  }
}
