import type { FileIO } from '../../io/file-io.js'
import { overlayOptions } from '../metadata/dynamic-options.js'
import { FilePaths } from '../metadata/file-paths.js'
import type { Options } from '../metadata/option.js'
import type { TablePaths } from '../metadata/paths.js'
import type { MetadataRowReader, MetadataSource } from '../metadata/record-file.js'
import { TableSchema } from '../metadata/schema.js'
import { SchemaStore } from '../metadata/schema-store.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { SnapshotStore } from '../metadata/snapshot-store.js'
import { Partitions } from './partitions.js'

/** One branch of a table, seen with one schema and its options: what plans are made from. */
export class TableView {
  readonly files: FilePaths
  readonly partitions: Partitions

  constructor(
    readonly io: FileIO,
    readonly paths: TablePaths,
    readonly schema: TableSchema,
    readonly snapshots: SnapshotStore,
    readonly schemas: SchemaStore,
    readonly rows: MetadataRowReader | undefined,
  ) {
    this.files = new FilePaths(paths, schema)
    this.partitions = new Partitions(schema.partitionFields)
  }

  /** A branch with its stores; `schema` has the options that the caller wants. */
  static open(io: FileIO, paths: TablePaths, schema: TableSchema, rows?: MetadataRowReader): TableView {
    return new TableView(io, paths, schema, new SnapshotStore(io, paths), new SchemaStore(io, paths), rows)
  }

  get options(): Options {
    return this.schema.options
  }

  source(signal?: AbortSignal): MetadataSource {
    return {
      io: this.io,
      ...(this.rows === undefined ? {} : { rows: this.rows }),
      ...(signal === undefined ? {} : { signal }),
    }
  }

  /** The same table with options of a scan laid over its own; INVALID_ARGUMENT for those that a scan cannot change. */
  withOptions(dynamic: ReadonlyMap<string, string>): TableView {
    if (dynamic.size === 0) return this
    return this.withSchema(withOptions(this.schema, overlayOptions(this.options, dynamic).map))
  }

  withSchema(schema: TableSchema): TableView {
    return new TableView(this.io, this.paths, schema, this.snapshots, this.schemas, this.rows)
  }

  /** The table with the columns that it had at a snapshot, and the options of today where they do not speak of columns. */
  async at(snapshot: Snapshot): Promise<TableView> {
    if (snapshot.schemaId === this.schema.id) return this
    const old = await this.schemas.byId(snapshot.schemaId)
    const merged = new Map(this.options.map)
    for (const key of [...merged.keys()].filter(speaksOfColumns)) merged.delete(key)
    for (const [key, value] of old.options.map) if (speaksOfColumns(key)) merged.set(key, value)
    return this.withSchema(withOptions(old, merged))
  }
}

function speaksOfColumns(key: string): boolean {
  return /^(bucket|bucket-key|bucket-function\.type|sequence\.field|rowkind\.field|fields\..*|.*\.columns)$/.test(key)
}

function withOptions(schema: TableSchema, options: ReadonlyMap<string, string>): TableSchema {
  const { comment, ...rest } = schema
  const init = { ...rest, options, ...(comment === undefined ? {} : { comment }) }
  return new TableSchema(init, schema.source)
}
