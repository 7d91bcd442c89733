import { JsonObject } from '../../base/json-object.js'
import type { PartitionField, PartitionSpec } from '../../types/partition.js'
import { parseTransform } from '../../types/transform-text.js'
import type { JsonValue } from '../../types/types.js'

/** Partition fields without an id, in v1, are numbered from here. */
const FIRST_PARTITION_FIELD_ID = 1000

/** Parses a partition spec (Iceberg spec, "Partition Specs"). */
export function parseSpec(json: JsonObject): PartitionSpec {
  return { specId: json.int('spec-id'), fields: parseSpecFields(json, 'fields') }
}

/** Parses the list of partition fields at `key`: of a spec, of v1's `partition-spec`, or of a manifest's header. */
export function parseSpecFields(json: JsonObject, key: string): readonly PartitionField[] {
  return json.objects(key).map((field, i) => {
    const sourceIds = field.optInts('source-ids') ?? [field.int('source-id')]
    const text = field.string('transform')
    return {
      fieldId: field.optInt('field-id') ?? FIRST_PARTITION_FIELD_ID + i,
      name: field.string('name'),
      sourceIds,
      transform: sourceIds.length === 1 ? parseTransform(text) : { kind: 'unknown', text },
    }
  })
}

/** Parses a list of partition fields that stands alone, as in the header of a manifest. */
export function parseSpecFieldList(json: JsonValue, file: string): readonly PartitionField[] {
  // Some writers put the whole spec there.
  if (!Array.isArray(json)) return parseSpecFields(new JsonObject(json, file, 'partition-spec'), 'fields')
  return parseSpecFields(new JsonObject({ 'partition-spec': json }, file), 'partition-spec')
}
