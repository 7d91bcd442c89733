import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import { toExec } from '../../expr/exec.js'
import type { BoundExpression } from '../../expr/node.js'
import { printFilter } from '../../expr/print.js'
import type { FileIO } from '../../io/file-io.js'
import type {
  TaskDataFile,
  TaskDeleteFile,
  TaskPartitionField,
  TaskParts,
  TaskResidual,
  TaskScan,
} from '../../task/document.js'
import { FileScanTask } from '../../task/scan-task.js'
import type { Schema } from '../../types/schema.js'
import { RESERVED_IDS } from '../../types/select.js'
import { valueToJson } from '../../types/single-value.js'
import { transformToText } from '../../types/transform-text.js'
import type { JsonValue, NestedField, PrimitiveType, Value } from '../../types/types.js'
import { toHex } from '../../types/utf8.js'
import type { ContentFile } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { keyColumnsOf } from './key-columns.js'
import type { KeyColumns } from './key-overlap.js'
import type { Change, PlannedFile } from './planned-file.js'
import { DELETE_FILE_PATH_ID, decodePath } from './referenced-data-file.js'
import { pruneToLeaves, taskField, taskNameMapping, taskType } from './task-fields.js'

/** What all tasks of a scan have in common. */
export interface TaskContext {
  readonly metadata: TableMetadata
  readonly io: FileIO
  /** The schema of rows and filter. */
  readonly schema: Schema
  readonly projection: readonly NestedField[]
}

interface SpecParts {
  readonly fields: readonly TaskPartitionField[]
  readonly types: readonly PrimitiveType[]
}

/** Makes tasks of planned files; whatever tasks share is made once. */
export class TaskFactory {
  readonly #metadata: TableMetadata
  readonly #io: FileIO
  readonly #keyColumns: KeyColumns
  readonly #scan: TaskScan
  readonly #specs = new Map<number, SpecParts>()
  readonly #deletes = new WeakMap<ContentFile, TaskDeleteFile>()
  readonly #residuals = new WeakMap<BoundExpression, TaskResidual>()
  #lastDeletes: readonly ContentFile[] | undefined
  #lastMade: readonly TaskDeleteFile[] = NO_DELETES
  #lastCommon: Common | undefined

  constructor(context: TaskContext) {
    const { metadata, schema } = context
    this.#metadata = metadata
    this.#io = context.io
    this.#keyColumns = keyColumnsOf(metadata, schema)
    const mapping = metadata.nameMapping()
    this.#scan = {
      partitionType: stringifyJson(metadata.partitionTypeUnion().fields.map(taskField)),
      schema: stringifyJson(schema.fields.map(taskField)),
      projection: stringifyJson(context.projection.map(taskField)),
      nameMapping: mapping === undefined ? 'null' : stringifyJson(taskNameMapping(mapping)),
    }
  }

  /** The task of the whole file. What it says of the file is made when it is asked for. */
  task(planned: PlannedFile): FileScanTask {
    const { file, deletes } = planned
    // An unknown spec fails the plan.
    this.#spec(file.specId)
    const common = this.#commonTo(planned)
    const deleteFiles = deletes.length === 0 ? NO_DELETES : this.#deleteFiles(deletes)
    const parts =
      planned.change === undefined
        ? new PlannedParts(common, file, deleteFiles)
        : new ChangedParts(common, file, deleteFiles, planned.change, this.#onlyDeletedBy(planned))
    return new FileScanTask(parts, 0, bytes(file, 'file_size_in_bytes', file.fileSizeInBytes))
  }

  /** Most files of a plan share it. */
  #commonTo({ residual, snapshotId }: PlannedFile): Common {
    const last = this.#lastCommon
    if (last !== undefined && last.bound === residual && last.snapshotId === snapshotId) return last
    this.#lastCommon = { factory: this, bound: residual, snapshotId }
    return this.#lastCommon
  }

  #onlyDeletedBy({ onlyDeletedBy }: PlannedFile): readonly TaskDeleteFile[] | undefined {
    return onlyDeletedBy === undefined ? undefined : this.#deleteFiles(onlyDeletedBy)
  }

  /**
   * A task of another scan of the table, perhaps made elsewhere, to be read by this one: range, deletes and residual
   * are the task's, schema, selection and locations are this scan's.
   */
  adopt(task: FileScanTask): FileScanTask {
    const { snapshotId, dataFile, residual, constants } = task.parts
    const here = (file: TaskDeleteFile): TaskDeleteFile => ({ ...file, location: this.#io.resolve(file.path) })
    const parts = {
      scan: this.#scan,
      snapshotId,
      dataFile: { ...dataFile, location: this.#io.resolve(dataFile.path) },
      deleteFiles: task.deleteFiles.map(here),
      onlyDeletedBy: task.onlyDeletedBy?.map(here),
      residual,
      constants,
    }
    return new FileScanTask(parts, task.start, task.length)
  }

  /** @internal What all tasks share. */
  get scan(): TaskScan {
    return this.#scan
  }

  /** @internal */
  residual(bound: BoundExpression): TaskResidual {
    let residual = this.#residuals.get(bound)
    if (residual === undefined) {
      residual = { text: printFilter(bound), json: stringifyJson(toExec(bound)) }
      this.#residuals.set(bound, residual)
    }
    return residual
  }

  /** @internal */
  dataFile(file: ContentFile): TaskDataFile {
    const { fields, types } = this.#spec(file.specId)
    return {
      path: file.path,
      location: this.#io.resolve(file.path),
      format: file.format,
      fileSizeInBytes: bytes(file, 'file_size_in_bytes', file.fileSizeInBytes),
      recordCount: file.recordCount,
      specId: file.specId,
      dataSequenceNumber: file.dataSequenceNumber,
      fileSequenceNumber: file.fileSequenceNumber,
      firstRowId: file.firstRowId,
      partitionFields: fields,
      partitionValues: file.partition.map((value, i) => partitionValue(types[i]!, value)),
    }
  }

  #spec(id: number): SpecParts {
    let parts = this.#specs.get(id)
    if (parts === undefined) {
      const spec = this.#metadata.specById(id)
      const types = this.#metadata.partitionTypes(spec)
      const fields = spec.fields.map((field, i) => ({
        fieldId: field.fieldId,
        name: field.name,
        sourceIds: field.sourceIds,
        transform: transformToText(field.transform),
        type: taskType(types[i]!),
      }))
      parts = { fields, types }
      this.#specs.set(id, parts)
    }
    return parts
  }

  #deleteFiles(files: readonly ContentFile[]): readonly TaskDeleteFile[] {
    // The files of a partition often have the same deletes, by the same list.
    if (files !== this.#lastDeletes) {
      this.#lastMade = files.map((file) => this.#deleteFile(file))
      this.#lastDeletes = files
    }
    return this.#lastMade
  }

  #deleteFile(file: ContentFile): TaskDeleteFile {
    let made = this.#deletes.get(file)
    if (made === undefined) {
      made = this.#makeDeleteFile(file)
      this.#deletes.set(file, made)
    }
    return made
  }

  #makeDeleteFile(file: ContentFile): TaskDeleteFile {
    const isEquality = file.content === 'equality-deletes'
    const isVector = !isEquality && file.format === 'puffin'
    const offset = file.contentOffset
    const size = file.contentSizeInBytes
    return {
      content: isEquality ? 'equality' : isVector ? 'puffin-dv' : 'positions',
      path: file.path,
      location: this.#io.resolve(file.path),
      format: file.format,
      fileSizeInBytes: bytes(file, 'file_size_in_bytes', file.fileSizeInBytes),
      recordCount: file.recordCount,
      dataSequenceNumber: file.dataSequenceNumber,
      specId: file.specId,
      contentOffset: offset === undefined ? undefined : bytes(file, 'content_offset', offset),
      contentSizeInBytes: size === undefined ? undefined : bytes(file, 'content_size_in_bytes', size),
      referencedDataFile: file.referencedDataFile,
      equalityIds: isEquality ? file.equalityIds : undefined,
      equalityFields: isEquality ? this.#keyFields(file) : undefined,
      lowerPath: isEquality || isVector ? undefined : decodePath(file.lowerBound(DELETE_FILE_PATH_ID)),
      upperPath: isEquality || isVector ? undefined : decodePath(file.upperBound(DELETE_FILE_PATH_ID)),
    }
  }

  #keyFields(file: ContentFile): readonly JsonValue[] {
    const columns = (file.equalityIds ?? []).map((id) => {
      const column = this.#keyColumns(id)
      if (column !== undefined && !column.inListOrMap) return column
      const what = column === undefined ? 'is in no schema of the table' : 'lies in a list or map'
      throw new LakefoldError('CORRUPT_FILE', `${file.path}: equality id ${id} ${what}`, {
        context: { file: file.path, field: 'equality_ids', value: id },
      })
    })
    return pruneToLeaves(columns).map(taskField)
  }
}

/** What a task has in common with others. */
interface Common {
  readonly factory: TaskFactory
  readonly bound: BoundExpression
  readonly snapshotId: bigint | undefined
}

/** The parts of a planned task. Most tasks of a large plan are never looked at, and a plan's time goes with their size. */
class PlannedParts implements TaskParts {
  #dataFile: TaskDataFile | undefined

  constructor(
    private readonly common: Common,
    private readonly file: ContentFile,
    readonly deleteFiles: readonly TaskDeleteFile[],
  ) {}

  get scan(): TaskScan {
    return this.common.factory.scan
  }

  get snapshotId(): bigint | undefined {
    return this.common.snapshotId
  }

  get residual(): TaskResidual {
    return this.common.factory.residual(this.common.bound)
  }

  get dataFile(): TaskDataFile {
    this.#dataFile ??= this.common.factory.dataFile(this.file)
    return this.#dataFile
  }

  get onlyDeletedBy(): readonly TaskDeleteFile[] | undefined {
    return undefined
  }

  get constants(): ReadonlyMap<number, JsonValue> {
    return NO_CONSTANTS
  }
}

/** Those of a changelog's task. */
class ChangedParts extends PlannedParts {
  readonly #onlyDeletedBy: readonly TaskDeleteFile[] | undefined
  readonly #constants: ReadonlyMap<number, JsonValue>

  constructor(
    common: Common,
    file: ContentFile,
    deleteFiles: readonly TaskDeleteFile[],
    change: Change,
    onlyDeletedBy: readonly TaskDeleteFile[] | undefined,
  ) {
    super(common, file, deleteFiles)
    this.#onlyDeletedBy = onlyDeletedBy
    this.#constants = changeConstants(change)
  }

  override get onlyDeletedBy(): readonly TaskDeleteFile[] | undefined {
    return this.#onlyDeletedBy
  }

  override get constants(): ReadonlyMap<number, JsonValue> {
    return this.#constants
  }
}

const NO_DELETES: readonly TaskDeleteFile[] = []
const NO_CONSTANTS: ReadonlyMap<number, JsonValue> = new Map()

function changeConstants(change: Change): ReadonlyMap<number, JsonValue> {
  return new Map<number, JsonValue>([
    [RESERVED_IDS._change_type, change.type],
    [RESERVED_IDS._change_ordinal, change.ordinal],
    [RESERVED_IDS._commit_snapshot_id, change.snapshotId],
  ])
}

/** Values of unknown transforms have no type of their own. */
function partitionValue(type: PrimitiveType, value: Value | null): JsonValue {
  if (value === null) return null
  if (type.kind === 'unknown') return value instanceof Uint8Array ? toHex(value) : value
  return valueToJson(type, value)
}

/** A byte count of a manifest as a number. */
function bytes(file: ContentFile, field: string, value: bigint): number {
  if (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value)
  throw new LakefoldError('CORRUPT_FILE', `${file.path}: its manifest gives ${value} as ${field}`, {
    context: { file: file.path, field, value },
  })
}
