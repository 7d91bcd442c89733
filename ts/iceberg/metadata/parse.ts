import { LakefoldError } from '../../base/errors.js'
import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { decodeText } from '../../base/text.js'
import { parseSchema } from '../../types/json.js'
import type { PartitionSpec } from '../../types/partition.js'
import type { Schema } from '../../types/schema.js'
import { parseEncryptionKeys } from './encryption.js'
import { parseMetadataLog, parseSnapshotLog } from './logs.js'
import { MAIN_BRANCH, parseRefs, type SnapshotRef } from './refs.js'
import { parseSnapshot, type Snapshot } from './snapshot.js'
import { parseSortOrder, UNSORTED } from './sort-order.js'
import { parseSpec, parseSpecFields } from './spec.js'
import { parsePartitionStatisticsFile, parseStatisticsFile } from './statistics.js'
import { TableMetadata } from './table-metadata.js'

/**
 * Reads a table metadata file of format version 1, 2 or 3, plain or gzip (told by its bytes).
 *
 * @param file the location, for errors and `metadataLocation`.
 * @throws LakefoldError CORRUPT_FILE naming the file and field; UNSUPPORTED for a later format version or an unknown type in the
 * current schema.
 */
export function parseTableMetadata(bytes: Uint8Array, file: string): TableMetadata {
  const json = new JsonObject(parseJson(decodeText(bytes, file), file), file)
  const formatVersion = parseVersion(json)
  const required = formatVersion > 1
  const schemas = parseSchemas(json, required)
  const currentSchemaId = parseCurrentSchemaId(json, schemas, required)
  const { specs, defaultSpecId } = parseSpecs(json, required)
  const { sortOrders, defaultSortOrderId } = parseSortOrders(json, required)
  const snapshots = (json.optObjects('snapshots') ?? []).map(parseSnapshot)
  const currentSnapshotId = parseCurrentSnapshotId(json)
  const refs = parseRefs(json, currentSnapshotId)
  checkSnapshots(json, snapshots, currentSnapshotId, refs)
  return new TableMetadata(
    {
      raw: json.raw,
      metadataLocation: file,
      formatVersion,
      tableUuid: required ? json.string('table-uuid') : json.optString('table-uuid'),
      location: json.string('location'),
      lastSequenceNumber: (required ? json.long('last-sequence-number') : undefined) ?? 0n,
      lastUpdatedMs: json.long('last-updated-ms'),
      lastColumnId: json.int('last-column-id'),
      schemas: [...schemas.values()].filter((schema): schema is Schema => !(schema instanceof LakefoldError)),
      currentSchemaId,
      specs,
      defaultSpecId,
      lastPartitionId: json.optInt('last-partition-id'),
      sortOrders,
      defaultSortOrderId,
      snapshots,
      currentSnapshotId,
      refs,
      snapshotLog: parseSnapshotLog(json),
      metadataLog: parseMetadataLog(json),
      statistics: (json.optObjects('statistics') ?? []).map(parseStatisticsFile),
      partitionStatistics: (json.optObjects('partition-statistics') ?? []).map(parsePartitionStatisticsFile),
      properties: json.optStringMap('properties') ?? new Map(),
      encryptionKeys: parseEncryptionKeys(json),
      nextRowId: formatVersion >= 3 ? json.long('next-row-id') : undefined,
    },
    schemas,
  )
}

/** Two of one id would leave open which one is meant. */
function checkUnique<T>(json: JsonObject, field: string, ids: readonly T[]): ReadonlySet<T> {
  const seen = new Set<T>()
  for (const id of ids) {
    if (seen.has(id)) return json.fail(field, 'must have different ids', id)
    seen.add(id)
  }
  return seen
}

function parseVersion(json: JsonObject): 1 | 2 | 3 {
  const version = json.int('format-version')
  if (version === 1 || version === 2 || version === 3) return version
  if (version < 1) return json.fail('format-version', 'must be 1, 2 or 3', version)
  throw new LakefoldError('UNSUPPORTED', `${json.file}: format version ${version} is not supported, only 1 to 3`, {
    context: { file: json.file, field: 'format-version', value: version },
  })
}

/** By id. A schema that cannot be read stands as its error: only what needs it fails. */
function parseSchemas(json: JsonObject, required: boolean): ReadonlyMap<number, Schema | LakefoldError> {
  const list = required ? json.objects('schemas') : (json.optObjects('schemas') ?? [json.optObject('schema')])
  const schemas = new Map<number, Schema | LakefoldError>()
  for (const schema of list) {
    if (schema === undefined) return json.fail('schema', 'is missing', undefined)
    const id = schema.optInt('schema-id') ?? 0
    if (schemas.has(id)) return json.fail('schemas', 'must have different ids', id)
    try {
      schemas.set(id, parseSchema(schema.raw, { file: json.file, schemaId: id }))
    } catch (error) {
      if (!LakefoldError.is(error)) throw error
      schemas.set(id, error as LakefoldError)
    }
  }
  return schemas
}

function parseCurrentSchemaId(
  json: JsonObject,
  schemas: ReadonlyMap<number, Schema | LakefoldError>,
  required: boolean,
): number {
  const listed = required || json.has('schemas')
  const id = listed ? json.int('current-schema-id') : [...schemas.keys()][0]!
  const schema = schemas.get(id)
  if (schema === undefined) return json.fail('current-schema-id', 'must be the id of one of the schemas', id)
  if (schema instanceof LakefoldError) throw schema
  return id
}

function parseSpecs(json: JsonObject, required: boolean): { specs: readonly PartitionSpec[]; defaultSpecId: number } {
  if (!required && !json.has('partition-specs')) {
    return { specs: [{ specId: 0, fields: parseSpecFields(json, 'partition-spec') }], defaultSpecId: 0 }
  }
  const specs = json.objects('partition-specs').map(parseSpec)
  checkUnique(
    json,
    'partition-specs',
    specs.map((spec) => spec.specId),
  )
  const defaultSpecId = json.int('default-spec-id')
  if (!specs.some((spec) => spec.specId === defaultSpecId)) {
    return json.fail('default-spec-id', 'must be the id of one of the partition specs', defaultSpecId)
  }
  return { specs, defaultSpecId }
}

function parseSortOrders(json: JsonObject, required: boolean) {
  if (!required && !json.has('sort-orders')) return { sortOrders: [UNSORTED], defaultSortOrderId: UNSORTED.orderId }
  return {
    sortOrders: json.objects('sort-orders').map(parseSortOrder),
    defaultSortOrderId: json.int('default-sort-order-id'),
  }
}

/** -1, null and absence all mean that there is none. */
function parseCurrentSnapshotId(json: JsonObject): bigint | undefined {
  const id = json.optLong('current-snapshot-id')
  return id === -1n ? undefined : id
}

function checkSnapshots(
  json: JsonObject,
  snapshots: readonly Snapshot[],
  currentSnapshotId: bigint | undefined,
  refs: ReadonlyMap<string, SnapshotRef>,
): void {
  const ids = checkUnique(
    json,
    'snapshots',
    snapshots.map((snapshot) => snapshot.snapshotId),
  )
  if (currentSnapshotId !== undefined && !ids.has(currentSnapshotId)) {
    json.fail('current-snapshot-id', 'must be the id of one of the snapshots', currentSnapshotId)
  }
  for (const [name, ref] of refs) {
    if (!ids.has(ref.snapshotId)) {
      json.fail(`refs.${name}.snapshot-id`, 'must be the id of one of the snapshots', ref.snapshotId)
    }
  }
  // Writers other than Iceberg's own leave the branch main out of refs; what must not be is that the two differ.
  const main = refs.get(MAIN_BRANCH)
  if (main !== undefined && main.snapshotId !== currentSnapshotId) {
    json.fail(
      'current-snapshot-id',
      `must be that of the branch main (${main.snapshotId})`,
      currentSnapshotId ?? 'none',
    )
  }
}
