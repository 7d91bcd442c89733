import type { RecordBatch } from 'apache-arrow'

import type * as Api from '../../ts/index.js'
import type { CaseScan } from './case.js'
import { encodeBatch } from './encode.js'
import type {
  Engine,
  EnginePlan,
  EngineScan,
  EngineTable,
  PlannedDelete,
  PlannedFile,
  Range,
  RowOptions,
} from './engine.js'
import type { Json } from './json.js'

type Lakefold = typeof Api

/** lakefold through its public API: the package as it is built, imported by its name. */
export class LakefoldEngine implements Engine {
  readonly #api: Lakefold
  readonly #tables = new Map<string, Promise<EngineTable>>()

  constructor(api: Lakefold) {
    this.#api = api
  }

  static async load(): Promise<LakefoldEngine> {
    const name: string = 'lakefold'
    return new LakefoldEngine((await import(name)) as Lakefold)
  }

  open(metadata: string, from: string, to: string): Promise<EngineTable> {
    const key = `${metadata} ${to}`
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const opened = this.#open(metadata, from, to)
    this.#tables.set(key, opened)
    return opened
  }

  async #open(metadata: string, from: string, to: string): Promise<EngineTable> {
    const table = await this.#api.openTable(metadata, { rewriteLocations: { [from]: to } })
    return { scan: (scan) => new LakefoldScan(this.#api, table as Api.IcebergTable, scan) }
  }

  async close(): Promise<void> {
    this.#tables.clear()
  }
}

class LakefoldScan implements EngineScan {
  readonly #api: Lakefold
  readonly #table: Api.IcebergTable
  readonly #asked: CaseScan

  constructor(api: Lakefold, table: Api.IcebergTable, asked: CaseScan) {
    this.#api = api
    this.#table = table
    this.#asked = asked
  }

  #plain(): Api.TableScan {
    const asked = this.#asked
    let scan = this.#table.scan()
    if (asked.caseSensitive === false) scan = scan.caseInsensitive()
    if (asked.ref !== undefined) scan = scan.useRef(asked.ref)
    if (asked.snapshotId !== undefined) scan = scan.useSnapshot(asked.snapshotId)
    if (asked.asOfTimestampMs !== undefined) scan = scan.asOf(asked.asOfTimestampMs)
    if (asked.filter !== undefined) scan = scan.filter(asked.filter as never)
    if (asked.select !== undefined) scan = scan.select(...asked.select)
    if (asked.ignoreResiduals) scan = scan.ignoreResiduals()
    return scan
  }

  #incremental(): Api.IncrementalAppendScan | Api.ChangelogScan {
    const asked = this.#asked
    let scan = asked.changelog ? this.#table.changelogScan() : this.#table.incrementalAppendScan()
    const range = asked.incremental ?? {}
    if (range.fromSnapshotIdExclusive !== undefined) scan = scan.fromSnapshotExclusive(range.fromSnapshotIdExclusive)
    if (range.fromSnapshotIdInclusive !== undefined) scan = scan.fromSnapshotInclusive(range.fromSnapshotIdInclusive)
    if (range.toSnapshotId !== undefined) scan = scan.toSnapshot(range.toSnapshotId)
    if (range.branch !== undefined) scan = scan.useBranch(range.branch)
    if (asked.caseSensitive === false) scan = scan.caseInsensitive()
    if (asked.filter !== undefined) scan = scan.filter(asked.filter as never)
    if (asked.select !== undefined) scan = scan.select(...asked.select)
    return scan
  }

  async plan(): Promise<EnginePlan> {
    const asked = this.#asked
    if (asked.incremental !== undefined || asked.changelog) {
      return { files: (await this.#incremental().planFiles()).map(plannedFile) }
    }
    const scan = this.#plain()
    let report: Api.ScanReport | undefined
    const files = await scan.reportTo((made) => void (report = made)).planFiles()
    const plan = { files: files.map(plannedFile), metrics: { ...report?.metrics } }
    if (asked.splitSize === undefined) return plan
    const options = {
      splitSize: asked.splitSize,
      ...(asked.splitLookback !== undefined && { lookback: asked.splitLookback }),
      ...(asked.splitOpenFileCost !== undefined && { openFileCost: asked.splitOpenFileCost }),
    }
    const [splits, tasks] = [await scan.splitFiles(options), await scan.planTasks(options)]
    return { ...plan, splits: splits.map(range), tasks: tasks.map((group) => group.map(range)) }
  }

  /** One worker reads all batches, two a reader, more the tasks of a plan that went through its JSON: one result. Two take strings as dictionaries. */
  async rows({ workers, columns }: RowOptions): Promise<string[]> {
    const asked = this.#asked
    const options = { numWorkers: workers, dictionaries: workers === 2 }
    const rows: string[] = []
    const add = (batch: RecordBatch) => {
      for (const row of encodeBatch(batch, columns)) rows.push(row)
    }
    if (asked.incremental !== undefined || asked.changelog) {
      for await (const batch of await this.#incremental().toBatchReader(options)) add(batch)
      return rows
    }
    const scan = asked.splitSize === undefined ? this.#plain() : this.#plain().withSplitSize(asked.splitSize)
    if (workers === 1) {
      for (const batch of await scan.toBatches(options)) add(batch)
    } else if (workers === 2) {
      for await (const batch of await scan.toBatchReader(options)) add(batch)
    } else {
      const tasks = (await scan.planFiles()).map((task) => this.#api.FileScanTask.fromJson(task.toJson()))
      for (const batch of await scan.toBatchesForTasks(tasks, options)) add(batch)
    }
    return rows
  }

  async count(workers: number): Promise<bigint> {
    const asked = this.#asked
    if (asked.incremental === undefined && !asked.changelog) return await this.#plain().count({ numWorkers: workers })
    let rows = 0n
    for await (const batch of await this.#incremental().toBatchReader({ numWorkers: workers })) {
      rows += BigInt(batch.numRows)
    }
    return rows
  }
}

const range = (task: Api.FileScanTask): Range => ({
  path: task.dataFile.path,
  start: BigInt(task.start),
  length: BigInt(task.length),
})

const big = (value: number | bigint | undefined) => (value === undefined ? undefined : BigInt(value))
const CHANGE = { type: 2147483543, ordinal: 2147483542, snapshot: 2147483541 }

function plannedFile(task: Api.FileScanTask): PlannedFile {
  const { dataFile, parts } = task
  return {
    ...range(task),
    operation: parts.constants.get(CHANGE.type) as string | undefined,
    changeOrdinal: parts.constants.get(CHANGE.ordinal) as number | undefined,
    commitSnapshotId: big(parts.constants.get(CHANGE.snapshot) as bigint | undefined),
    format: dataFile.format,
    specId: task.specId,
    partition: Object.fromEntries(
      dataFile.partitionFields.map((field, i) => [field.name, dataFile.partitionValues[i] as Json]),
    ),
    recordCount: dataFile.recordCount,
    fileSizeInBytes: BigInt(dataFile.fileSizeInBytes),
    dataSequenceNumber: task.dataSequenceNumber,
    fileSequenceNumber: dataFile.fileSequenceNumber,
    firstRowId: dataFile.firstRowId,
    deletes: task.deleteFiles.map(plannedDelete),
    residual: task.residual,
  }
}

function plannedDelete(file: Api.TaskDeleteFile): PlannedDelete {
  return {
    path: file.path,
    content: file.content === 'equality' ? 'EQUALITY_DELETES' : 'POSITION_DELETES',
    format: file.format,
    recordCount: file.recordCount,
    fileSizeInBytes: BigInt(file.fileSizeInBytes),
    specId: file.specId,
    dataSequenceNumber: file.dataSequenceNumber,
    contentOffset: big(file.contentOffset),
    contentSizeInBytes: big(file.contentSizeInBytes),
    // File-scoped position deletes name their data file too; the cases record it for vectors alone.
    referencedDataFile: file.content === 'puffin-dv' ? file.referencedDataFile : undefined,
    equalityIds: file.equalityIds,
  }
}
