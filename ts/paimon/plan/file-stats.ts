import { LakefoldError } from '../../base/errors.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import type { Datum } from '../metadata/datum.js'
import { fileFormat } from '../metadata/file-paths.js'
import type { TableSchema } from '../metadata/schema.js'
import type { SchemaStore } from '../metadata/schema-store.js'
import { type ColumnStats, keyStats, type SimpleStats, UNKNOWN_STATS, valueStats } from '../metadata/simple-stats.js'
import { type PaimonField, type PaimonType, sameType } from '../metadata/types.js'
import type { FileEntry } from './live-entry.js'
import type { StatsSubject, SubjectStats } from './stats-test.js'

/** The rows of an index entry by default (`orc.row.index.stride`). */
const ORC_INDEX_ROWS = 10_000n

const INTEGERS: Readonly<Record<string, number>> = { tinyint: 8, smallint: 16, int: 32, bigint: 64 }

/** The schemas that files were written with, read before they are needed. */
export class FileSchemas {
  private readonly known = new Map<number, TableSchema>()

  constructor(
    readonly current: TableSchema,
    private readonly store: SchemaStore,
  ) {
    this.known.set(current.id, current)
  }

  /** Reads the schemas of these files. */
  async load(entries: Iterable<{ readonly file: { readonly schemaId: number } }>): Promise<void> {
    const missing = new Set<number>()
    for (const { file } of entries) if (!this.known.has(file.schemaId)) missing.add(file.schemaId)
    for (const id of missing) this.known.set(id, await this.store.byId(id))
  }

  /** Whether the schema was read. */
  has(schemaId: number): boolean {
    return this.known.has(schemaId)
  }

  of(schemaId: number): TableSchema {
    const schema = this.known.get(schemaId)
    if (schema !== undefined) return schema
    throw new LakefoldError('INTERNAL', `schema ${schemaId} was not read`, { context: { schemaId } })
  }
}

/** Statistics of a file's columns as values of the table's columns of today; a column that the file lacks is null throughout. */
export function fileStats(entry: FileEntry, schemas: FileSchemas, which: 'key' | 'value'): StatsSubject {
  const { file, manifest, partition } = entry
  const { partitionFields } = schemas.current
  const written = schemas.of(file.schemaId)
  let stats: SimpleStats | undefined
  return {
    rowCount: file.rowCount,
    column(id) {
      const part = partitionFields.findIndex((field) => field.id === id)
      if (part >= 0) return constantStats(partition.values[part] ?? null, file.rowCount)
      const wanted = schemas.current.fieldById(id)
      const found = written.fieldById(id)
      if (wanted === undefined) return UNKNOWN_STATS
      if (found === undefined) return { min: undefined, max: undefined, nullCount: file.rowCount }
      stats ??= which === 'key' ? keyStats(file, written, manifest) : valueStats(file, written, manifest)
      return trusted(file, wanted.type, evolved(stats.column(id), found, wanted))
    },
  }
}

/** Statistics of a column that has one value in all rows, as those of the partition have. */
function constantStats(value: Datum | null, rowCount: bigint): SubjectStats {
  return value === null
    ? { min: undefined, max: undefined, nullCount: rowCount }
    : { min: value, max: value, nullCount: 0n }
}

/**
 * What a file's bounds tell if they may leave NaN out. ORC's writer does, and where a NaN is the first of the rows of an index entry, the
 * other rows of that entry count for the bounds of the whole file no more.
 */
export function trusted(file: DataFileMeta, { kind }: PaimonType, stats: SubjectStats): SubjectStats {
  if (fileFormat(file.fileName) !== 'orc') return stats
  if (kind === 'char' && typeof stats.min === 'string') return { ...stats, min: withoutPadding(stats.min) }
  if (kind !== 'float' && kind !== 'double') return stats
  if (file.rowCount > ORC_INDEX_ROWS) return { ...stats, min: undefined, max: undefined }
  return { ...stats, maxWithoutNan: true }
}

/** ORC pads a CHAR to its length, in bounds too, and takes the blanks away in rows: which may then be below a padded bound, but not this one. */
function withoutPadding(min: string): string {
  for (let i = 0; i < min.length; i++) if (min.charCodeAt(i) <= 0x20) return min.slice(0, i)
  return min
}

/** Bounds stay bounds only through casts that keep order and lose nothing. */
export function evolved(stats: ColumnStats, found: PaimonField, wanted: PaimonField): SubjectStats {
  if (sameType(found.type, wanted.type, { nullability: false })) return stats
  const bits = INTEGERS[wanted.type.kind]
  if (INTEGERS[found.type.kind] === undefined || bits === undefined) return UNKNOWN_STATS
  const { min, max, nullCount } = stats
  const known = typeof min !== 'undefined' && typeof max !== 'undefined'
  if (!known || !fits(min as number | bigint, bits) || !fits(max as number | bigint, bits)) {
    return { min: undefined, max: undefined, nullCount }
  }
  return {
    min: as(min as number | bigint, wanted.type),
    max: as(max as number | bigint, wanted.type),
    nullCount,
    bits: INTEGERS[found.type.kind] as number,
  }
}

function fits(value: number | bigint, bits: number): boolean {
  return BigInt.asIntN(bits, BigInt(value)) === BigInt(value)
}

function as(value: number | bigint, type: PaimonType): number | bigint {
  return type.kind === 'bigint' ? BigInt(value) : Number(value)
}
