import { LakefoldError } from '../../base/errors.js'
import type { JsonValue } from '../../types/types.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import { fileFormat } from '../metadata/file-paths.js'
import { BLOB_AS_DESCRIPTOR, DATA_EVOLUTION_ENABLED } from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import { rowIdGroups } from '../plan/data-evolution.js'
import type { DataSplit, DeletionFile } from '../plan/data-split.js'
import { FileSchemas } from '../plan/file-stats.js'
import { keyedFiles, keyOrder, keySections, sortedRuns } from '../plan/key-ranges.js'
import { stitchGroup } from '../plan/stitch-group.js'
import type { TableView } from '../plan/table-view.js'
import { IndexedRows, type Positions } from './indexed-rows.js'
import { mergeRules } from './merge-rules.js'
import {
  asTask,
  dataFileJson,
  partitionJson,
  readingRules,
  type SplitTask,
  sharedPart,
  type TaskDocument,
  type TaskSettings,
} from './task-document.js'
import { SYSTEM_COLUMNS, taskField } from './task-types.js'

/** The kind of rows that are read raw. */
const INSERTED = { [SYSTEM_COLUMNS.get('_VALUE_KIND')?.id as number]: 0 }

/** Makes the tasks of splits of one branch of a table. */
export class SplitTasks {
  private readonly schemas: FileSchemas
  private readonly fieldsOf = new Map<number, JsonValue>()
  private readonly schema: TableSchema
  private readonly shared: TaskDocument
  private readonly indexed: IndexedRows

  constructor(
    private readonly view: TableView,
    private readonly settings: TaskSettings,
  ) {
    this.schema = view.schema
    this.schemas = new FileSchemas(view.schema, view.schemas)
    this.shared = sharedPart(view.schema, settings)
    this.indexed = new IndexedRows(view, settings.predicate)
  }

  /** The tasks of a split, in order. CORRUPT_FILE or FILE_NOT_FOUND where a file's schema cannot be read. */
  async tasks(split: DataSplit): Promise<readonly SplitTask[]> {
    const files = [...split.dataFiles, ...(split.beforeFiles ?? [])]
    if (files.length === 0) return []
    await this.schemas.load(files.map((file) => ({ file })))
    if (split.beforeFiles !== undefined) {
      if (!this.schema.hasPrimaryKey) return this.plain(split)
      return split.isStreaming ? this.replacement(split, split.beforeFiles) : [this.difference(split)]
    }
    if (this.schema.hasPrimaryKey) {
      if (split.isStreaming) return [this.concat(split)]
      // As the reference: a raw read takes all rows for insertions; to see the kinds that files hold, they are merged.
      // Old files do not tell whether they hold deletions.
      const told = split.dataFiles.every((file) => file.deleteRowCount !== undefined)
      if (split.rawConvertible && told && !this.settings.keepMerged) return this.plain(split)
      return [split.bucket < 0 ? this.concat(split) : this.merge(split)]
    }
    return this.schema.options.get(DATA_EVOLUTION_ENABLED) ? this.stitched(split) : this.plain(split)
  }

  /** Files read as they lie, but for those whose indexes tell that no row matches. */
  private async plain(split: DataSplit): Promise<readonly SplitTask[]> {
    const { dataFiles, deletionFiles } = split
    const asked = dataFiles.map((file) => this.indexed.of(split, file, this.schemas.of(file.schemaId)))
    const positions = await Promise.all(asked)
    return dataFiles.flatMap((file, i) => {
      const rows = positions[i]
      return rows?.length === 0 ? [] : [this.one(split, file, deletionFiles?.[i], rows)]
    })
  }

  private one(split: DataSplit, file: DataFileMeta, deletion: DeletionFile | undefined, rows?: Positions): SplitTask {
    return this.document(split, file, {
      ...(rows === undefined ? {} : { 'row-ranges': rows as JsonValue }),
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
    return this.merged(split, split.dataFiles, split.deletionFiles, this.settings.keepMerged, false)
  }

  /** The rows that were there, taken back, then those that came. */
  private replacement(split: DataSplit, beforeFiles: readonly DataFileMeta[]): readonly SplitTask[] {
    const tasks: SplitTask[] = []
    if (this.settings.keepDeletes && beforeFiles.length > 0) {
      tasks.push(this.merged(split, beforeFiles, split.beforeDeletionFiles, false, true))
    }
    if (split.dataFiles.length > 0) {
      tasks.push(this.merged(split, split.dataFiles, split.deletionFiles, false, false))
    }
    return tasks
  }

  private merged(
    split: DataSplit,
    files: readonly DataFileMeta[],
    deletions: DataSplit['deletionFiles'],
    keepDeletes: boolean,
    retract: boolean,
  ): SplitTask {
    const rows = {
      kind: 'merge',
      ...mergeRules(this.schema, keepDeletes),
      retract,
      sections: this.sections(split, files, deletions),
    }
    return this.document(split, files[0] as DataFileMeta, { rows })
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
      const { anchor, newest, parts } = stitchGroup(group, split, this.schemas)
      const rows = {
        kind: 'stitch',
        'first-row-id': anchor.firstRowId ?? 0n,
        'row-count': anchor.rowCount,
        parts: parts.map(({ files, fieldIds }) => ({
          files: files.map((file) => this.rowFile(split, file, undefined)),
          'field-ids': fieldIds,
        })),
      }
      return this.document(split, anchor, {
        'first-row-id': anchor.firstRowId ?? 0n,
        'data-sequence-number': newest.maxSequenceNumber,
        'delete-files': this.deletes(split, anchor, vectors.get(anchor)),
        constants: INSERTED,
        rows,
      })
    })
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
    if (file.fileName.includes('.vector.')) {
      throw new LakefoldError('UNSUPPORTED', `${path}: vector stores cannot be read`, { context: { file: path } })
    }
    const format = fileFormat(file.fileName)
    const json = dataFileJson(this.view.io, path, format, file.fileSize, file.rowCount, this.fields(file))
    const descriptors = format === 'blob' && this.schema.options.get(BLOB_AS_DESCRIPTOR)
    return {
      ...json,
      ...(descriptors ? { 'blob-descriptors': true } : {}),
      ...readingRules(format, this.schema),
    }
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
  private rangesOf({ rowRanges }: DataSplit, { firstRowId, rowCount }: DataFileMeta): TaskDocument {
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

  private document(split: DataSplit, file: DataFileMeta, more: TaskDocument): SplitTask {
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
