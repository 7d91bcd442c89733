import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { parseJson } from '../../../ts/base/json.js'
import { parseSchema, parseTransform } from '../../../ts/types/json.js'
import type { PartitionSpec } from '../../../ts/types/partition.js'
import type { Schema } from '../../../ts/types/schema.js'
import type { JsonValue } from '../../../ts/types/types.js'

export const ROOT = fileURLToPath(new URL('../../fixtures/iceberg/', import.meta.url))

export type JsonObject = { readonly [key: string]: JsonValue }

/** A case of the fixtures, as far as these tests look at it. */
export interface Case {
  readonly id: string
  readonly metadata: string
  readonly scan: JsonObject
  readonly plan?: readonly JsonObject[]
  readonly error?: JsonObject
  readonly evaluated?: JsonObject
  readonly planInexact?: JsonValue
}

/** Every case that has a filter. */
export function filterCases(): Case[] {
  return readdirSync(`${ROOT}cases`)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => parseJson(readFileSync(`${ROOT}cases/${name}`, 'utf8')) as unknown as Case[])
    .filter((one) => one.scan.filter !== undefined)
}

/** Table metadata, as JSON. */
export function readMetadata(path: string): JsonObject {
  const bytes = readFileSync(ROOT + path)
  const text = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes
  return parseJson(text.toString('utf8')) as JsonObject
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return (value ?? []) as unknown as readonly JsonObject[]
}

/** The schema that a scan binds its filter to. */
export function schemaOf(metadata: JsonObject, scan: JsonObject): Schema {
  const current = metadata['current-schema-id']
  const schemas = metadata.schemas === undefined ? [metadata.schema as JsonObject] : list(metadata.schemas)
  const id = schemaId(metadata, scan) ?? current
  const found = schemas.find((schema) => schema['schema-id'] === id) ?? schemas[0]
  return parseSchema(found)
}

function schemaId(metadata: JsonObject, scan: JsonObject): JsonValue | undefined {
  const snapshots = list(metadata.snapshots)
  const ofSnapshot = (id: string): JsonValue | undefined =>
    snapshots.find((snapshot) => String(snapshot['snapshot-id']) === id)?.['schema-id']
  if (scan.snapshotId !== undefined) return ofSnapshot(String(scan.snapshotId))
  if (scan.ref !== undefined) {
    const ref = ((metadata.refs ?? {}) as JsonObject)[String(scan.ref)] as JsonObject | undefined
    return ref?.type === 'tag' ? ofSnapshot(String(ref['snapshot-id'])) : undefined
  }
  if (scan.asOfTimestampMs !== undefined) {
    const log = list(metadata['snapshot-log']).filter(
      (entry) => Number(entry['timestamp-ms']) <= Number(scan.asOfTimestampMs),
    )
    const last = log.sort((a, b) => Number(a['timestamp-ms']) - Number(b['timestamp-ms'])).at(-1)
    return last === undefined ? undefined : ofSnapshot(String(last['snapshot-id']))
  }
  return undefined
}

/** The partition specs of a table. */
export function specsOf(metadata: JsonObject): PartitionSpec[] {
  const specs =
    metadata['partition-specs'] === undefined
      ? [{ 'spec-id': 0, fields: metadata['partition-spec'] ?? [] } as JsonObject]
      : list(metadata['partition-specs'])
  return specs.map((spec) => ({
    specId: Number(spec['spec-id']),
    fields: list(spec.fields).map((field, i) => ({
      fieldId: Number(field['field-id'] ?? 1000 + i),
      name: String(field.name),
      sourceIds: field['source-id'] === undefined ? (field['source-ids'] as number[]) : [Number(field['source-id'])],
      transform: parseTransform(String(field.transform)),
    })),
  }))
}
