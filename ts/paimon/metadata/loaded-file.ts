import type { DataFileMeta } from './data-file.js'
import type { EntryColumns } from './entry-columns.js'
import type { RawStats } from './manifest-list.js'
import { FILE_SOURCES, type FileSource } from './record-codes.js'

/** What `console.log` asks for. */
const inspect = Symbol.for('nodejs.util.inspect.custom')

/** The file of an entry as a view of columns: its members are made when they are asked for. */
export class LoadedFile implements DataFileMeta {
  constructor(
    private readonly columns: EntryColumns,
    private readonly index: number,
  ) {}

  get fileName(): string {
    return this.columns.fileName.text(this.index)!
  }

  get fileSize(): bigint {
    return this.columns.fileSize.at(this.index)!
  }

  get rowCount(): bigint {
    return this.columns.rowCount.at(this.index)!
  }

  get minKey(): Uint8Array {
    return this.columns.minKey.bytes(this.index)!
  }

  get maxKey(): Uint8Array {
    return this.columns.maxKey.bytes(this.index)!
  }

  get keyStats(): RawStats {
    return statsAt(this.columns.keyStats, this.index)
  }

  get valueStats(): RawStats {
    return statsAt(this.columns.valueStats, this.index)
  }

  get minSequenceNumber(): bigint {
    return this.columns.minSequenceNumber.at(this.index)!
  }

  get maxSequenceNumber(): bigint {
    return this.columns.maxSequenceNumber.at(this.index)!
  }

  get schemaId(): number {
    return this.columns.schemaId.numberAt(this.index)
  }

  get level(): number {
    return this.columns.level.at(this.index)!
  }

  get extraFiles(): readonly string[] {
    return this.columns.extraFiles!.at(this.index)
  }

  get creationTime(): bigint | undefined {
    return this.columns.creationTime.at(this.index)
  }

  get deleteRowCount(): bigint | undefined {
    return this.columns.deleteRowCount.at(this.index)
  }

  get embeddedFileIndex(): Uint8Array | undefined {
    return this.columns.embeddedFileIndex.bytes(this.index)
  }

  get fileSource(): FileSource | undefined {
    const code = this.columns.fileSource.at(this.index)
    return code === undefined ? undefined : FILE_SOURCES[code]
  }

  get valueStatsCols(): readonly string[] | undefined {
    return this.columns.valueStatsCols?.at(this.index)
  }

  get externalPath(): string | undefined {
    return this.columns.externalPath.text(this.index)
  }

  get firstRowId(): bigint | undefined {
    return this.columns.firstRowId.at(this.index)
  }

  get writeCols(): readonly string[] | undefined {
    return this.columns.writeCols?.at(this.index)
  }

  get writeColsSequences(): readonly bigint[] | undefined {
    return this.columns.writeColsSequences?.at(this.index)
  }

  toJSON(): DataFileMeta {
    return ownFile(this)
  }

  [inspect](): DataFileMeta {
    return ownFile(this)
  }
}

function statsAt({ minValues, maxValues, nullCounts }: EntryColumns['keyStats'], index: number): RawStats {
  return { minValues: minValues.bytes(index)!, maxValues: maxValues.bytes(index)!, nullCounts: nullCounts?.at(index) }
}

/** A copy that keeps no columns alive. */
export function ownFile(file: DataFileMeta): DataFileMeta {
  const own = (bytes: Uint8Array) => new Uint8Array(bytes)
  const ownStats = ({ minValues, maxValues, nullCounts }: RawStats): RawStats => ({
    minValues: own(minValues),
    maxValues: own(maxValues),
    nullCounts,
  })
  return {
    fileName: file.fileName,
    fileSize: file.fileSize,
    rowCount: file.rowCount,
    minKey: own(file.minKey),
    maxKey: own(file.maxKey),
    keyStats: ownStats(file.keyStats),
    valueStats: ownStats(file.valueStats),
    minSequenceNumber: file.minSequenceNumber,
    maxSequenceNumber: file.maxSequenceNumber,
    schemaId: file.schemaId,
    level: file.level,
    extraFiles: file.extraFiles,
    creationTime: file.creationTime,
    deleteRowCount: file.deleteRowCount,
    embeddedFileIndex: file.embeddedFileIndex === undefined ? undefined : own(file.embeddedFileIndex),
    fileSource: file.fileSource,
    valueStatsCols: file.valueStatsCols,
    externalPath: file.externalPath,
    firstRowId: file.firstRowId,
    writeCols: file.writeCols,
    writeColsSequences: file.writeColsSequences,
  }
}
