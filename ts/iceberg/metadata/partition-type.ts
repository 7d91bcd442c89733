import type { PartitionField, PartitionSpec, Transform } from '../../types/partition.js'
import type { Schema } from '../../types/schema.js'
import { transformResultType } from '../../types/transform-text.js'
import type { NestedField, PrimitiveType, StructType } from '../../types/types.js'

const UNKNOWN: PrimitiveType = { kind: 'unknown' }

/**
 * The type of a partition field's values (Iceberg spec, "Partition Transforms"). `unknown` where it cannot be told: the transform is not
 * known, or its source column is in none of the schemas and decides the type.
 *
 * @param schemas where the source column is looked up, the first that has it.
 */
function partitionFieldType(field: PartitionField, schemas: readonly Schema[]): PrimitiveType {
  for (const schema of schemas) {
    const source = schema.findField(field.sourceIds[0]!)
    if (source !== undefined) return transformResultType(field.transform, source.type) ?? UNKNOWN
  }
  switch (field.transform.kind) {
    case 'bucket':
    case 'year':
    case 'month':
    case 'hour':
      return { kind: 'int' }
    case 'day':
      return { kind: 'date' }
    default:
      return UNKNOWN
  }
}

/** The types of a spec's fields, in its order. */
export function partitionTypes(spec: PartitionSpec, schemas: readonly Schema[]): readonly PrimitiveType[] {
  return spec.fields.map((field) => partitionFieldType(field, schemas))
}

/**
 * The fields of all specs by field id, ascending, all optional: the type of `_partition`. The latest spec that has a field names it;
 * where a v1 spec made it void, an older one gives its type.
 */
export function unionPartitionType(specs: readonly PartitionSpec[], schemas: readonly Schema[]): StructType {
  const fields = new Map<number, { field: NestedField; transform: Transform }>()
  for (const spec of specs.toSorted((a, b) => b.specId - a.specId)) {
    for (const { fieldId: id, name, ...rest } of spec.fields) {
      const known = fields.get(id)
      if (known !== undefined && (known.transform.kind !== 'void' || rest.transform.kind === 'void')) continue
      const type = partitionFieldType({ fieldId: id, name, ...rest }, schemas)
      fields.set(id, {
        field: { id, name: known?.field.name ?? name, required: false, type },
        transform: rest.transform,
      })
    }
  }
  return { kind: 'struct', fields: [...fields.values()].map(({ field }) => field).sort((a, b) => a.id - b.id) }
}
