import * as op from '../../avro/program.js'
import { type At, inside, mismatch, type Read } from '../../avro/read.js'
import type { AvroSchema } from '../../avro/schema.js'
import { DATA_FILE_COLUMNS } from './data-file.js'
import { corruptAt } from './errors.js'
import { RAW_STATS_COLUMNS } from './manifest-list.js'
import { bytes, type Column } from './record.js'

/** How the members of a data file that are no records are decoded: those of which many are equal as shared values. */
const FILE_OPS = {
  fileName: op.text,
  fileSize: op.long,
  rowCount: op.long,
  minKey: op.bytes,
  maxKey: op.bytes,
  minSequenceNumber: op.long,
  maxSequenceNumber: op.long,
  schemaId: op.long,
  level: op.int,
  extraFiles: op.distinct,
  creationTime: op.optionalLong,
  deleteRowCount: op.optionalLong,
  embeddedFileIndex: op.optionalBytes,
  fileSource: op.optionalInt,
  valueStatsCols: op.distinct,
  externalPath: op.optionalText,
  firstRowId: op.optionalLong,
  writeCols: op.distinct,
  writeColsSequences: op.distinct,
} as const

/** A column of a manifest's entries. */
export type EntryColumn =
  | 'version'
  | 'kind'
  | 'partition'
  | 'bucket'
  | 'totalBuckets'
  | keyof typeof FILE_OPS
  | `${'keyStats' | 'valueStats'}.${keyof typeof RAW_STATS_COLUMNS}`

/** How to decode entries. */
export interface EntryProgram {
  readonly ops: readonly op.Op[]
  /** The first segment of each column that the writer has. */
  readonly segments: ReadonlyMap<EntryColumn, number>
  /** Readers of the values of shared columns. */
  readonly readers: ReadonlyMap<EntryColumn, Read<unknown>>
}

/** A field that is wanted, by the name that it has in files. */
interface Wanted {
  readonly name: string
  /** Whether the writer may lack it. */
  readonly optional: boolean
  readonly make: (schema: AvroSchema, at: At) => readonly op.Op[]
}

/**
 * Compiles the writer's schema of entries; CORRUPT_FILE naming `file` and the field that it cannot be.
 *
 * @param which all columns, or those by which entries are told apart at a glance: all before the file, and its level
 */
export function entryProgram(schema: AvroSchema, file: string, which: 'all' | 'head'): EntryProgram {
  const kept = new Map<op.Op, EntryColumn>()
  const readers = new Map<EntryColumn, Read<unknown>>()
  const keep = (name: EntryColumn, compile: op.CompileOp): Wanted['make'] => {
    return (type, at) => {
      const made = compile(type, at)
      kept.set(made, name)
      return [made]
    }
  }
  const shared = (name: EntryColumn, codec: Column<unknown>['codec']): Wanted['make'] => {
    return (type, at) => {
      readers.set(name, codec.avro(type, at))
      return keep(name, op.distinct)(type, at)
    }
  }
  const plain = (
    name: EntryColumn,
    { name: written, codec, optional }: Column<unknown>,
    compile: op.CompileOp,
  ): Wanted => ({
    name: written,
    optional,
    make: compile === op.distinct ? shared(name, codec) : keep(name, compile),
  })
  const stats = (name: 'keyStats' | 'valueStats'): Wanted => {
    const { minValues, maxValues, nullCounts } = RAW_STATS_COLUMNS
    const members = [
      plain(`${name}.minValues`, minValues, op.bytes),
      plain(`${name}.maxValues`, maxValues, op.bytes),
      plain(`${name}.nullCounts`, nullCounts, op.distinct),
    ]
    return { name: DATA_FILE_COLUMNS[name].name, optional: false, make: (type, at) => recordOps(type, at, members) }
  }
  const members = (which === 'head' ? ['level'] : Object.keys(FILE_OPS)) as (keyof typeof FILE_OPS)[]
  const dataFile = members.map((name) => plain(name, DATA_FILE_COLUMNS[name], FILE_OPS[name]))
  if (which === 'all') dataFile.push(stats('keyStats'), stats('valueStats'))
  const required = (name: string, make: Wanted['make']): Wanted => ({ name, optional: false, make })
  const ops = recordOps(schema, { file, field: '' }, [
    required('_VERSION', keep('version', op.int)),
    required('_KIND', keep('kind', op.int)),
    required('_PARTITION', shared('partition', bytes)),
    required('_BUCKET', keep('bucket', op.int)),
    required('_TOTAL_BUCKETS', keep('totalBuckets', op.int)),
    required('_FILE', (type, at) => recordOps(type, at, dataFile)),
  ])
  return { ops, segments: op.segmentsOf(ops, kept), readers }
}

/** The ops of a record's fields in the writer's order, also where it is nullable, as 0.8 wrote its records; a null is CORRUPT_FILE. */
function recordOps(schema: AvroSchema, at: At, wanted: readonly Wanted[]): readonly op.Op[] {
  const { type, ops: present } = op.presentOps(schema, at)
  if (type.kind !== 'record') return mismatch(type, 'a record', at)
  const left = new Map(wanted.map((field) => [field.name, field]))
  const ops = type.fields.flatMap((member): readonly op.Op[] => {
    const where = inside(at, member.name)
    const field = left.get(member.name)
    left.delete(member.name)
    if (field === undefined) return [{ skip: op.skipOf(member.schema, where) }]
    return field.optional && member.schema.kind === 'null' ? [] : field.make(member.schema, where)
  })
  for (const { name, optional } of left.values()) if (!optional) corruptAt(at, `lacks the field ${name}`)
  return [...present, ...ops]
}
