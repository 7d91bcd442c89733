import * as op from '../../avro/program.js'
import { type At, type Compile, field, type Read, record } from '../../avro/read.js'
import type { AvroField, AvroSchema } from '../../avro/schema.js'
import type { PartitionTuple } from '../../types/partition.js'
import type { Value } from '../../types/types.js'
import { partitionValue } from './partition-value.js'
import { recordOps, type WantedField } from './record-ops.js'
import type { ManifestHeader } from './types.js'

/** Which columns' metrics are read: those of these field ids, or all. */
export type StatsFieldIds = ReadonlySet<number> | 'all'

/** How to read the entries of a manifest (Iceberg spec, "Manifests"). */
export interface EntryProgram {
  readonly ops: readonly op.Op[]
  /** The first segment of each column that the writer has. */
  readonly segments: ReadonlyMap<EntryColumn, number>
  /** Whether the writer has `data_file`. */
  readonly hasFile: boolean
  readonly readPartition: Read<PartitionTuple> | undefined
}

/** Fields of manifest_entry by id: names differ between writers and versions. */
const ENTRY = [
  { name: 'status', id: 0, compile: op.int },
  { name: 'snapshotId', id: 1, compile: op.optionalLong, optional: true },
  { name: 'sequenceNumber', id: 3, compile: op.optionalLong, optional: true },
  { name: 'fileSequenceNumber', id: 4, compile: op.optionalLong, optional: true },
] as const
const DATA_FILE_ID = 2
const PARTITION_ID = 102

const DATA_FILE = [
  { name: 'content', id: 134, compile: op.optionalInt, optional: true },
  { name: 'path', id: 100, compile: op.text },
  { name: 'format', id: 101, compile: op.distinctText },
  { name: 'recordCount', id: 103, compile: op.long },
  { name: 'fileSizeInBytes', id: 104, compile: op.long },
  { name: 'keyMetadata', id: 131, compile: op.optionalBytes, optional: true },
  { name: 'splitOffsets', id: 132, compile: op.optionalLongs, optional: true },
  { name: 'equalityIds', id: 135, compile: op.optionalInts, optional: true },
  { name: 'sortOrderId', id: 140, compile: op.optionalInt, optional: true },
  { name: 'firstRowId', id: 142, compile: op.optionalLong, optional: true },
  { name: 'referencedDataFile', id: 143, compile: op.optionalText, optional: true },
  { name: 'contentOffset', id: 144, compile: op.optionalLong, optional: true },
  { name: 'contentSizeInBytes', id: 145, compile: op.optionalLong, optional: true },
] as const

const COUNTS = { columnSizes: 108, valueCounts: 109, nullCounts: 110, nanCounts: 137 } as const
const BOUNDS = { lowerBounds: 125, upperBounds: 128 } as const

/** A column of entries. */
export type EntryColumn =
  | (typeof ENTRY)[number]['name']
  | (typeof DATA_FILE)[number]['name']
  | keyof typeof COUNTS
  | keyof typeof BOUNDS
  | 'partition'

/**
 * Compiles the writer's schema of entries. CORRUPT_FILE naming `file` and the field that it cannot be.
 *
 * @param prefixedFixed whether fixed partition values have a length before them; see `readFixed` in read.ts.
 */
export function entryProgram(
  schema: AvroSchema,
  file: string,
  header: ManifestHeader,
  stats: StatsFieldIds,
  prefixedFixed: boolean,
): EntryProgram {
  const kept = new Map<op.Op, EntryColumn>()
  const found = (name: EntryColumn, made: op.Op) => kept.set(made, name)
  let readPartition: Read<PartitionTuple> | undefined
  let hasFile = false
  const partition = (type: AvroSchema, at: At): op.Op[] => {
    readPartition = partitionTuple(header, prefixedFixed)(type, at)
    const made = { distinct: skipTuple(type, at, header, prefixedFixed) }
    found('partition', made)
    return [made]
  }
  const dataFile = (type: AvroSchema, at: At) => {
    hasFile = true
    return recordOps(type, at, [...DATA_FILE, ...metrics(stats)], found, new Map([[PARTITION_ID, partition]]))
  }
  const ops = recordOps(schema, { file, field: '' }, ENTRY, found, new Map([[DATA_FILE_ID, dataFile]]))
  return { ops, segments: op.segmentsOf(ops, kept), hasFile, readPartition }
}

/** The maps of metrics; without a wanted column they are passed over whole. */
function metrics(stats: StatsFieldIds): WantedField<EntryColumn>[] {
  if (stats !== 'all' && stats.size === 0) return []
  const keys = stats === 'all' ? undefined : stats
  const all = (ids: Record<string, number>, compile: op.CompileOp) =>
    Object.entries(ids).map(([name, id]) => ({ name: name as EntryColumn, id, compile, optional: true }))
  return [...all(COUNTS, op.longMap(keys)), ...all(BOUNDS, op.bytesMap(keys))]
}

/** The fields of a written tuple, with ids by position where the writer gave none. */
function tupleFields(schema: AvroSchema, header: ManifestHeader): readonly AvroField[] {
  const written = schema.kind === 'record' ? schema.fields : []
  if (written.every((member) => member.id !== undefined)) return written
  return written.map((member, i) => ({ ...member, id: header.spec.fields[i]?.fieldId }))
}

/** The tuple in the order of the spec's fields; those that the writer does not have are null. */
function partitionTuple(header: ManifestHeader, prefixedFixed: boolean): Compile<PartitionTuple> {
  return (schema, at) => {
    const spec = header.spec.fields
    const wanted: Record<string, { id: number; compile: Compile<Value | null> }> = {}
    spec.forEach(({ fieldId }, i) => {
      wanted[i] = field(fieldId, partitionValue(header.partitionTypes[i]!, prefixedFixed))
    })
    const read = record(wanted)(
      schema.kind === 'record' ? { ...schema, fields: tupleFields(schema, header) } : schema,
      at,
    )
    return (tap) => {
      const values = read(tap)
      return spec.map((_, i) => values[i] ?? null)
    }
  }
}

/** How to pass over what {@link partitionTuple} reads. */
function skipTuple(schema: AvroSchema, at: At, header: ManifestHeader, prefixedFixed: boolean): op.Skip {
  const isFixed = (id: number | undefined) => {
    const index = header.spec.fields.findIndex(({ fieldId }) => fieldId === id)
    return header.partitionTypes[index]?.kind === 'fixed'
  }
  const fields = tupleFields(schema, header)
  return {
    record: fields.map(({ id, schema: type }) => op.skipOf(type, at, { fixedLengths: prefixedFixed && isFixed(id) })),
  }
}
