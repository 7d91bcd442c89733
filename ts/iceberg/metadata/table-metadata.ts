import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import type { PartitionSpec } from '../../types/partition.js'
import type { Schema } from '../../types/schema.js'
import type { JsonValue, PrimitiveType, StructType } from '../../types/types.js'
import { checkSchema } from './check-schema.js'
import type { EncryptedKey } from './encryption.js'
import type { MetadataLogEntry, SnapshotLogEntry } from './logs.js'
import { NAME_MAPPING_PROPERTY, type NameMapping, parseNameMapping } from './name-mapping.js'
import { partitionTypes, unionPartitionType } from './partition-type.js'
import type { SnapshotRef } from './refs.js'
import type { Snapshot } from './snapshot.js'
import type { SortOrder } from './sort-order.js'
import type { PartitionStatisticsFile, StatisticsFile } from './statistics.js'

/** What `parseTableMetadata` finds in a file. */
export interface TableMetadataFields {
  /** The JSON document, whole. */
  readonly raw: JsonValue
  /** Location of the metadata file itself. */
  readonly metadataLocation: string
  readonly formatVersion: 1 | 2 | 3
  /** Optional in v1. */
  readonly tableUuid: string | undefined
  readonly location: string
  /** 0 in v1. */
  readonly lastSequenceNumber: bigint
  readonly lastUpdatedMs: bigint
  readonly lastColumnId: number
  /** Those that can be read: one with a type that lakefold does not know fails where it is asked for. */
  readonly schemas: readonly Schema[]
  readonly currentSchemaId: number
  readonly specs: readonly PartitionSpec[]
  readonly defaultSpecId: number
  readonly lastPartitionId: number | undefined
  readonly sortOrders: readonly SortOrder[]
  readonly defaultSortOrderId: number
  readonly snapshots: readonly Snapshot[]
  /** Undefined for a table without a current snapshot. */
  readonly currentSnapshotId: bigint | undefined
  readonly refs: ReadonlyMap<string, SnapshotRef>
  readonly snapshotLog: readonly SnapshotLogEntry[]
  readonly metadataLog: readonly MetadataLogEntry[]
  readonly statistics: readonly StatisticsFile[]
  readonly partitionStatistics: readonly PartitionStatisticsFile[]
  readonly properties: ReadonlyMap<string, string>
  readonly encryptionKeys: readonly EncryptedKey[]
  /** v3: the next `_row_id` that is free. */
  readonly nextRowId: bigint | undefined
}

export interface TableMetadata extends TableMetadataFields {}

/**
 * The metadata of an Iceberg table (Iceberg spec, "Table Metadata"), immutable and lossless: `raw` and `toJson()` keep what lakefold
 * does not know. Made by `parseTableMetadata`, which has checked that the current schema, default spec and current snapshot exist.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor assigns every field of the interface
export class TableMetadata {
  readonly #schemas: ReadonlyMap<number, Schema | LakefoldError>
  readonly #specs: ReadonlyMap<number, PartitionSpec>
  readonly #snapshots: ReadonlyMap<bigint, Snapshot>
  #nameMapping: NameMapping | undefined

  constructor(fields: TableMetadataFields, schemas: ReadonlyMap<number, Schema | LakefoldError>) {
    Object.assign(this, fields)
    this.#schemas = schemas
    this.#specs = new Map(fields.specs.map((spec) => [spec.specId, spec]))
    this.#snapshots = new Map(fields.snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]))
  }

  currentSchema(): Schema {
    return this.schemaById(this.currentSchemaId)
  }

  /** CORRUPT_FILE if there is none, UNSUPPORTED if it holds a type that lakefold does not know. */
  schemaById(id: number): Schema {
    const schema = this.#schemas.get(id)
    if (schema === undefined) throw this.missing('schema', id, [...this.#schemas.keys()])
    if (schema instanceof LakefoldError) throw schema
    return checkSchema(schema, this.metadataLocation)
  }

  /** CORRUPT_FILE if there is none. */
  specById(id: number): PartitionSpec {
    const spec = this.#specs.get(id)
    if (spec === undefined) throw this.missing('partition spec', id, [...this.#specs.keys()])
    return spec
  }

  /** Undefined if there is none. */
  findSpec(id: number): PartitionSpec | undefined {
    return this.#specs.get(id)
  }

  /** UNKNOWN_SNAPSHOT if there is none. */
  snapshotById(id: bigint): Snapshot {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) {
      throw new LakefoldError('UNKNOWN_SNAPSHOT', `${this.metadataLocation} has no snapshot ${id}`, {
        context: { file: this.metadataLocation, snapshotId: id },
      })
    }
    return snapshot
  }

  /** Undefined if there is none, as for a parent that has expired. */
  findSnapshot(id: bigint): Snapshot | undefined {
    return this.#snapshots.get(id)
  }

  /** Undefined for a table that has none. */
  currentSnapshot(): Snapshot | undefined {
    return this.currentSnapshotId === undefined ? undefined : this.snapshotById(this.currentSnapshotId)
  }

  /** The name mapping of the table's properties; CORRUPT_FILE if it cannot be read. */
  nameMapping(): NameMapping | undefined {
    const text = this.properties.get(NAME_MAPPING_PROPERTY)
    if (text !== undefined) this.#nameMapping ??= parseNameMapping(text, this.metadataLocation)
    return this.#nameMapping
  }

  /** The types of a spec's fields, by the current schema, or the latest other one that still has the source column. */
  partitionTypes(spec: PartitionSpec): readonly PrimitiveType[] {
    return partitionTypes(spec, this.schemasByAge())
  }

  /** The fields of all specs by field id: the type of `_partition`; without fields if no spec has one. */
  partitionTypeUnion(): StructType {
    return unionPartitionType(this.specs, this.schemasByAge())
  }

  /** The document as JSON text, compact; integers exact, unknown keys kept. */
  toJson(): string {
    return stringifyJson(this.raw)
  }

  private schemasByAge(): readonly Schema[] {
    const others = this.schemas.filter((schema) => schema.schemaId !== this.currentSchemaId)
    return [this.currentSchema(), ...others.sort((a, b) => b.schemaId - a.schemaId)]
  }

  private missing(what: string, id: number, known: readonly number[]): LakefoldError {
    return new LakefoldError(
      'CORRUPT_FILE',
      `${this.metadataLocation} has no ${what} ${id}, only ${known.join(', ') || 'none'}`,
      { context: { file: this.metadataLocation, id } },
    )
  }
}
