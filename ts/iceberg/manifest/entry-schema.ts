import { bytes, type Compile, field, int, intMap, list, long, optional, record, string } from '../../avro/read.js'
import type { PartitionTuple } from '../../types/partition.js'
import type { PrimitiveType, Value } from '../../types/types.js'
import { partitionValue } from './partition-value.js'
import type { ManifestHeader } from './types.js'

/** Which columns' metrics are read: those of these field ids, or all. */
export type StatsFieldIds = ReadonlySet<number> | 'all'

/** How to read a manifest_entry (Iceberg spec, "Manifests"), by field id: names differ between writers and versions. */
export function entryReader(header: ManifestHeader, stats: StatsFieldIds, prefixedFixed: boolean) {
  return record({
    status: field(0, int),
    snapshotId: field(1, optional(long)),
    sequenceNumber: field(3, optional(long)),
    fileSequenceNumber: field(4, optional(long)),
    file: field(2, dataFile(header, stats, prefixedFixed)),
  })
}

function dataFile(header: ManifestHeader, stats: StatsFieldIds, prefixedFixed: boolean) {
  const keys = stats === 'all' ? undefined : stats
  const counts = optional(intMap(long, keys))
  const bounds = optional(intMap(bytes, keys))
  const metrics = {
    columnSizes: field(108, counts),
    valueCounts: field(109, counts),
    nullCounts: field(110, counts),
    nanCounts: field(137, counts),
    lowerBounds: field(125, bounds),
    upperBounds: field(128, bounds),
  }
  const members = {
    content: field(134, optional(int)),
    path: field(100, string),
    format: field(101, string),
    partition: field(102, partitionTuple(header, prefixedFixed)),
    recordCount: field(103, long),
    fileSizeInBytes: field(104, long),
    keyMetadata: field(131, optional(bytes)),
    splitOffsets: field(132, optional(list(long))),
    equalityIds: field(135, optional(list(int))),
    sortOrderId: field(140, optional(int)),
    firstRowId: field(142, optional(long)),
    referencedDataFile: field(143, optional(string)),
    contentOffset: field(144, optional(long)),
    contentSizeInBytes: field(145, optional(long)),
  }
  // Without a wanted column the maps are passed over whole; the type is the same, all of them undefined.
  return record(keys?.size === 0 ? (members as typeof members & typeof metrics) : { ...members, ...metrics })
}

/** The tuple in the order of the spec's fields; those that the writer does not have are null. */
function partitionTuple(header: ManifestHeader, prefixedFixed: boolean): Compile<PartitionTuple> {
  return (schema, at) => {
    const spec = header.spec.fields
    const written = schema.kind === 'record' ? schema.fields : []
    const byPosition = written.some((member) => member.id === undefined)
    const wanted: Record<string, { id: number; compile: Compile<Value | null> }> = {}
    spec.forEach(({ fieldId }, i) => {
      const type: PrimitiveType = header.partitionTypes[i]!
      wanted[i] = field(fieldId, partitionValue(type, prefixedFixed))
    })
    const positioned =
      schema.kind === 'record' && byPosition
        ? { ...schema, fields: schema.fields.map((member, i) => ({ ...member, id: spec[i]?.fieldId })) }
        : schema
    const read = record(wanted)(positioned, at)
    return (tap) => {
      const values = read(tap)
      return spec.map((_, i) => values[i] ?? null)
    }
  }
}

export type RawEntry = ReturnType<ReturnType<ReturnType<typeof entryReader>>>
export type RawFile = NonNullable<RawEntry['file']>
