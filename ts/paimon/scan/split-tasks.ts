import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import type { FileIO } from '../../io/file-io.js'
import type { Cuttable } from '../../reader/pieces.js'
import { formatDecimal } from '../../types/decimal.js'
import type { JsonValue, NestedField } from '../../types/types.js'
import { toHex } from '../../types/utf8.js'
import type { FormatTableScan } from '../format-table/format-scan.js'
import type { FormatSplit } from '../format-table/format-split.js'
import { isTextFormat, lineOptions } from '../format-table/line-options.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import type { Datum } from '../metadata/datum.js'
import { fileFormat } from '../metadata/file-paths.js'
import { BLOB_AS_DESCRIPTOR, DATA_EVOLUTION_ENABLED } from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import type { PaimonField } from '../metadata/types.js'
import { blobRuns } from '../plan/blob-runs.js'
import { isBlob, rowIdGroups } from '../plan/data-evolution.js'
import type { DataSplit, DeletionFile } from '../plan/data-split.js'
import { execPredicate, printPredicate } from '../plan/exec-predicate.js'
import { FileSchemas } from '../plan/file-stats.js'
import { columnOf } from '../plan/group-filter.js'
import { keyedFiles, keyOrder, keySections, sortedRuns } from '../plan/key-ranges.js'
import type { Predicate } from '../plan/predicate.js'
import type { TableView } from '../plan/table-view.js'
import { mergeRules } from './merge-rules.js'
import { projectionJson, SYSTEM_COLUMNS, taskField } from './task-types.js'

const READABLE: readonly string[] = ['parquet', 'orc', 'avro', 'csv', 'json', 'text', 'blob']

/** A task document, ready to be read. */
export interface SplitTask {
  toJson(): string
}

export interface TaskSettings {
  readonly predicate: Predicate
  readonly projection: readonly NestedField[]
  /** Whether changes come with the rows that retract. */
  readonly keepDeletes: boolean
  /** Whether keys whose merged row retracts are returned. */
  readonly keepMerged: boolean
}

/** The kind of rows that are read raw. */
const INSERTED = { [SYSTEM_COLUMNS.get('_VALUE_KIND')?.id as number]: 0 }

/** Makes the tasks of splits of one branch of a table. */
export class SplitTasks {
  private readonly schemas: FileSchemas
  private readonly fieldsOf = new Map<number, JsonValue>()
  private readonly schema: TableSchema
  private readonly shared: { readonly [key: string]: JsonValue }

  constructor(
    private readonly view: TableView,
    private readonly settings: TaskSettings,
  ) {
    this.schema = view.schema
    this.schemas = new FileSchemas(view.schema, view.schemas)
    this.shared = sharedPart(view.schema, settings)
  }

  /** The tasks of a split, in order. CORRUPT_FILE or FILE_NOT_FOUND where a file's schema cannot be read. */
  async tasks(split: DataSplit): Promise<readonly SplitTask[]> {
    const files = [...split.dataFiles, ...(split.beforeFiles ?? [])]
    if (files.length === 0) return []
    for (const file of files) await this.schemas.load([{ file }])
    if (split.beforeFiles !== undefined) {
      if (!this.schema.hasPrimaryKey) return this.plain(split)
      return split.isStreaming ? this.replacement(split, split.beforeFiles) : [this.difference(split)]
    }
    if (this.schema.hasPrimaryKey) {
      if (split.isStreaming || split.bucket < 0) return [this.concat(split)]
      // As the reference: a raw read takes all rows for insertions; to see the kinds that files hold, they are merged.
      return split.rawConvertible && !this.settings.keepMerged ? this.plain(split) : [this.merge(split)]
    }
    return this.schema.options.get(DATA_EVOLUTION_ENABLED) ? this.stitched(split) : this.plain(split)
  }

  private plain(split: DataSplit): readonly SplitTask[] {
    return split.dataFiles.map((file, i) => this.one(split, file, split.deletionFiles?.[i]))
  }

  private one(split: DataSplit, file: DataFileMeta, deletion: DeletionFile | undefined): SplitTask {
    return this.document(split, file, {
      'first-row-id': file.firstRowId ?? null,
      'delete-files': this.deletes(split, file, deletion),
      ...(this.schema.hasPrimaryKey ? { constants: INSERTED } : {}),
      rows: { kind: 'plain' },
    })
  }

  private concat(split: DataSplit): SplitTask {
    const files = split.dataFiles.map((file, i) => this.rowFile(split, file, split.deletionFiles?.[i]))
    const rows = { kind: 'concat', files, 'keep-deletes': this.settings.keepDeletes }
    return this.document(split, split.dataFiles[0] as DataFileMeta, { rows })
  }

  private merge(split: DataSplit): SplitTask {
    const sections = this.sections(split, split.dataFiles, split.deletionFiles)
    const rows = { kind: 'merge', ...mergeRules(this.schema, this.settings.keepMerged), sections }
    return this.document(split, split.dataFiles[0] as DataFileMeta, { rows })
  }

  /** The rows that were there, taken back, then those that came. */
  private replacement(split: DataSplit, beforeFiles: readonly DataFileMeta[]): readonly SplitTask[] {
    const side = (files: readonly DataFileMeta[], deletions: DataSplit['deletionFiles'], retract: boolean) => {
      const [first] = files
      if (first === undefined) return []
      const rows = {
        kind: 'merge',
        ...mergeRules(this.schema, false),
        retract,
        sections: this.sections(split, files, deletions),
      }
      return [this.document(split, first, { rows })]
    }
    const before = this.settings.keepDeletes ? side(beforeFiles, split.beforeDeletionFiles, true) : []
    return [...before, ...side(split.dataFiles, split.deletionFiles, false)]
  }

  private difference(split: DataSplit): SplitTask {
    const before = this.sections(split, split.beforeFiles ?? [], split.beforeDeletionFiles)
    const sections = this.sections(split, split.dataFiles, split.deletionFiles)
    const merge = { ...mergeRules(this.schema, this.settings.keepMerged), sections }
    return this.document(split, (split.dataFiles[0] ?? split.beforeFiles?.[0]) as DataFileMeta, {
      rows: { kind: 'diff', before, merge },
    })
  }

  /** Groups of files with the same row ids, each a task. */
  private stitched(split: DataSplit): readonly SplitTask[] {
    const vectors = new Map(split.dataFiles.map((file, i) => [file, split.deletionFiles?.[i]]))
    return rowIdGroups(split.dataFiles).map((group) => {
      const [only] = group as [DataFileMeta]
      if (group.length === 1) return this.one(split, only, vectors.get(only))
      const whole = group.filter((file) => !isBlob(file))
      if (whole.length === 0) {
        const path = split.dataFilePath(only)
        throw new LakefoldError('CORRUPT_FILE', `${path}: a blob file without the file of its other columns`, {
          context: { file: path },
        })
      }
      const anchor = whole.reduce((a, b) =>
        b.maxSequenceNumber < a.maxSequenceNumber ||
        (b.maxSequenceNumber === a.maxSequenceNumber && b.fileName < a.fileName)
          ? b
          : a,
      )
      const newestFirst = [...whole].sort((a, b) => Number(b.maxSequenceNumber - a.maxSequenceNumber))
      const given = new Set<number>()
      const parts: JsonValue[] = []
      for (const file of newestFirst) {
        const ids = this.schema.fields
          .filter(({ id }) => !given.has(id) && columnOf(file, id, this.schemas) !== undefined)
          .map(({ id }) => id)
        for (const id of ids) given.add(id)
        if (ids.length > 0) parts.push({ files: [this.rowFile(split, file, undefined)], 'field-ids': ids })
      }
      for (const [id, files] of this.blobs(split, group, anchor)) {
        if (given.has(id)) continue
        parts.push({ files: files.map((file) => this.rowFile(split, file, undefined)), 'field-ids': [id] })
      }
      const first = anchor.firstRowId ?? 0n
      const rows = { kind: 'stitch', 'first-row-id': first, 'row-count': anchor.rowCount, parts }
      return this.document(split, anchor, {
        'first-row-id': first,
        'data-sequence-number': newestFirst[0]?.maxSequenceNumber ?? 0n,
        'delete-files': this.deletes(split, anchor, vectors.get(anchor)),
        rows,
      })
    })
  }

  private blobs(
    split: DataSplit,
    group: readonly DataFileMeta[],
    anchor: DataFileMeta,
  ): ReadonlyMap<number, readonly DataFileMeta[]> {
    const pathOf = (file: DataFileMeta) => split.dataFilePath(file)
    const columnOf = (file: DataFileMeta) => {
      const [name, ...more] = file.writeCols ?? []
      const field = this.schemas.of(file.schemaId).fields.find((one) => one.name === name)
      if (field !== undefined && more.length === 0) return field.id
      throw new LakefoldError('CORRUPT_FILE', `${pathOf(file)}: a blob file must have one column of its schema`, {
        context: { file: pathOf(file), field: 'writeCols', value: file.writeCols },
      })
    }
    return blobRuns(group.filter(isBlob), { anchor, columnOf, pathOf, mayMiss: split.rowRanges !== undefined })
  }

  private sections(
    split: DataSplit,
    files: readonly DataFileMeta[],
    deletions: readonly (DeletionFile | undefined)[] | undefined,
  ): JsonValue {
    const keys = this.schema.trimmedPrimaryKeys
    const order = keyOrder(keys)
    const vectors = new Map(files.map((file, i) => [file, deletions?.[i]]))
    return keySections(keyedFiles(files, keys, split.bucketPath), order).map((section) =>
      sortedRuns(section, order).map((run) => run.map(({ file }) => this.rowFile(split, file, vectors.get(file)))),
    )
  }

  private rowFile(split: DataSplit, file: DataFileMeta, deletion: DeletionFile | undefined): JsonValue {
    return {
      'data-file': this.dataFile(split, file),
      ...(deletion === undefined ? {} : { 'delete-files': this.deletes(split, file, deletion) }),
      ...(file.firstRowId === undefined ? {} : { 'first-row-id': file.firstRowId }),
      'max-sequence-number': file.maxSequenceNumber,
    }
  }

  private dataFile(split: DataSplit, file: DataFileMeta): JsonValue {
    const path = split.dataFilePath(file)
    const format = fileFormat(file.fileName)
    const json = dataFileJson(this.view.io, path, format, file.fileSize, file.rowCount, this.fields(file))
    const descriptors = format === 'blob' && this.schema.options.get(BLOB_AS_DESCRIPTOR)
    return descriptors ? { ...json, 'blob-descriptors': true } : json
  }

  /** The columns of the schema that the file was written with; those that it holds, if it tells them. */
  private fields(file: DataFileMeta): JsonValue {
    const schema = this.schemas.of(file.schemaId)
    const { writeCols } = file
    if (writeCols !== undefined) {
      return schema.fields.filter(({ name }) => writeCols.includes(name)).map((field) => taskField(field))
    }
    let fields = this.fieldsOf.get(schema.id)
    if (fields === undefined) {
      fields = schema.fields.map((field) => taskField(field))
      this.fieldsOf.set(schema.id, fields)
    }
    return fields
  }

  private deletes(split: DataSplit, file: DataFileMeta, deletion: DeletionFile | undefined): JsonValue {
    if (deletion === undefined) return []
    return [
      {
        content: 'paimon-dv',
        path: deletion.path,
        location: this.view.io.resolve(deletion.path),
        format: 'puffin',
        'file-size-in-bytes': 0,
        'record-count': deletion.cardinality ?? -1,
        'data-sequence-number': 0,
        'spec-id': 0,
        'content-offset': deletion.offset,
        'content-size-in-bytes': deletion.length,
        'referenced-data-file': split.dataFilePath(file),
      },
    ]
  }

  /** Where row ids are ranges of files, the asked ones as positions. Others may hold ids of their own: only pruned by. */
  private rangesOf({ rowRanges }: DataSplit, { firstRowId, rowCount }: DataFileMeta): { [key: string]: JsonValue } {
    if (rowRanges === undefined || firstRowId === undefined || !this.schema.options.get(DATA_EVOLUTION_ENABLED))
      return {}
    const last = rowCount - 1n
    const ranges = rowRanges
      .map(({ from, to }) => [
        from > firstRowId ? from - firstRowId : 0n,
        to - firstRowId < last ? to - firstRowId : last,
      ])
      .filter(([from, to]) => (from as bigint) <= (to as bigint))
    return { 'row-ranges': ranges }
  }

  private document(split: DataSplit, file: DataFileMeta, more: { readonly [key: string]: JsonValue }): SplitTask {
    return asTask({
      ...this.shared,
      ...this.rangesOf(split, file),
      'data-file': this.dataFile(split, file),
      start: 0,
      length: file.fileSize,
      'snapshot-id': split.snapshotId,
      'data-sequence-number': file.maxSequenceNumber,
      'first-row-id': null,
      partition: partitionJson(this.schema.partitionFields, split.partitionValues),
      'delete-files': [],
      ...more,
    })
  }
}

/** The tasks of a format table's splits. INVALID_ARGUMENT naming an option of the files that cannot be. */
export function formatTasks(
  { table, predicate, options }: FormatTableScan,
  settings: Omit<TaskSettings, 'predicate'>,
  splits: readonly FormatSplit[],
): readonly SplitTask[] {
  const { schema, io, format } = table
  const inFiles = schema.fields
    .filter((field) => !schema.partitionKeys.includes(field.name))
    .map((field) => taskField(field))
  const shared = sharedPart(schema, { ...settings, predicate })
  const lines: { readonly [key: string]: JsonValue } = isTextFormat(format)
    ? { lines: lineOptions(format, options) }
    : {}
  return splits.map((split) => {
    return asTask({
      ...shared,
      'data-file': { ...dataFileJson(io, split.filePath, split.format, split.fileSize, -1, inFiles), ...lines },
      start: split.offset,
      length: split.length,
      'snapshot-id': null,
      'data-sequence-number': 0,
      'first-row-id': null,
      partition: partitionJson(schema.partitionFields, split.partitionValues),
      'delete-files': [],
      rows: { kind: 'plain' },
    })
  })
}

type TaskDocument = { readonly [key: string]: JsonValue }

/** Readers may cut the file of a task that reads it as it lies. */
function asTask(document: TaskDocument): SplitTask | (SplitTask & Cuttable) {
  const toJson = () => stringifyJson(document)
  if ((document.rows as TaskDocument).kind !== 'plain') return { toJson }
  const file = document['data-file'] as TaskDocument
  return {
    toJson,
    dataFile: { format: file.format as string, fileSizeInBytes: Number(file['file-size-in-bytes']) },
    start: Number(document.start),
    length: Number(document.length),
    withRange: (start, length) => asTask({ ...document, start, length }),
  }
}

function sharedPart(
  schema: TableSchema,
  { predicate, projection }: TaskSettings,
): { readonly [key: string]: JsonValue } {
  return {
    version: 1,
    'spec-id': 0,
    schema: schema.fields.map((field) => taskField(field)),
    projection: projectionJson(projection, schema.fields),
    residual: execPredicate(predicate, schema.fields),
    'residual-text': printPredicate(predicate),
  }
}

function dataFileJson(
  io: FileIO,
  path: string,
  format: string,
  size: bigint | number,
  rows: bigint | number,
  fields: JsonValue,
): { readonly [key: string]: JsonValue } {
  if (!READABLE.includes(format)) {
    throw new LakefoldError('UNSUPPORTED', `${path}: files of the format "${format}" cannot be read`, {
      context: { file: path, format },
    })
  }
  return { path, location: io.resolve(path), format, 'file-size-in-bytes': size, 'record-count': rows, fields }
}

function partitionJson(fields: readonly PaimonField[], values: readonly Datum[]): JsonValue {
  return fields.map((field, i) => {
    const json = taskField(field) as { readonly type: JsonValue }
    const value = partitionValue(field, values[i] ?? null)
    const head = { 'field-id': 1000 + i, name: field.name, 'source-ids': [field.id], transform: 'identity' }
    return { ...head, type: json.type, value }
  })
}

function partitionValue({ type }: PaimonField, value: Datum): JsonValue {
  if (value === null) return null
  if (value instanceof Uint8Array) return toHex(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'bigint') {
    if (type.kind === 'decimal') return formatDecimal(value, type.scale)
    const short =
      type.kind === 'time' || ((type.kind === 'timestamp' || type.kind === 'timestamp_ltz') && type.precision <= 3)
    const ticks = short ? value / 1000n : value
    return Number.isSafeInteger(Number(ticks)) ? Number(ticks) : ticks.toString()
  }
  return value as JsonValue
}
