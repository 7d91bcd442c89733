import { ColumnBuffer } from '../../avro/columns.js'
import { Tap } from '../../avro/tap.js'
import type { PartitionTuple } from '../../types/partition.js'
import { contentOf, corrupt, formatOf, ManifestContentFile, required } from './content-file.js'
import type { EntryProgram } from './entry-schema.js'
import type { EntryStatus, FileFormat, ManifestEntry, ManifestFile, ManifestHeader } from './types.js'

const STATUSES: readonly EntryStatus[] = ['existing', 'added', 'deleted']
const DELETED = 2
/** Estimated memory of a distinct partition tuple, and of what every manifest needs besides its columns. */
const TUPLE_BYTES = 128
const MANIFEST_BYTES = 4096

/** The columns of a manifest's entries by name. */
export class EntryColumns {
  readonly length: number
  readonly byteLength: number
  readonly status
  readonly snapshotId
  readonly sequenceNumber
  readonly fileSequenceNumber
  readonly content
  readonly path
  readonly recordCount
  readonly fileSizeInBytes
  readonly keyMetadata
  readonly splitOffsets
  readonly equalityIds
  readonly sortOrderId
  readonly firstRowId
  readonly referencedDataFile
  readonly contentOffset
  readonly contentSizeInBytes
  readonly columnSizes
  readonly valueCounts
  readonly nullCounts
  readonly nanCounts
  readonly lowerBounds
  readonly upperBounds
  /** Which of the tuples an entry has. */
  readonly tupleCodes: Int32Array
  readonly tuples: readonly PartitionTuple[]
  /** Which of the format names an entry has. */
  readonly formatCodes: Int32Array
  readonly formatNames: readonly string[]

  /** CORRUPT_FILE naming `file` for a partition value or format name that cannot be read. */
  constructor(bytes: Uint8Array, program: EntryProgram, file: string) {
    const buffer = new ColumnBuffer(bytes, program.segments)
    this.length = buffer.length
    this.byteLength = buffer.byteLength
    this.status = buffer.ints('status')
    this.snapshotId = buffer.longs('snapshotId')
    this.sequenceNumber = buffer.longs('sequenceNumber')
    this.fileSequenceNumber = buffer.longs('fileSequenceNumber')
    this.content = buffer.ints('content')
    this.path = buffer.blobs('path')
    this.recordCount = buffer.longs('recordCount')
    this.fileSizeInBytes = buffer.longs('fileSizeInBytes')
    this.keyMetadata = buffer.blobs('keyMetadata')
    this.splitOffsets = buffer.lists('splitOffsets')
    this.equalityIds = buffer.lists('equalityIds')
    this.sortOrderId = buffer.ints('sortOrderId')
    this.firstRowId = buffer.longs('firstRowId')
    this.referencedDataFile = buffer.blobs('referencedDataFile')
    this.contentOffset = buffer.longs('contentOffset')
    this.contentSizeInBytes = buffer.longs('contentSizeInBytes')
    this.columnSizes = buffer.longMaps('columnSizes')
    this.valueCounts = buffer.longMaps('valueCounts')
    this.nullCounts = buffer.longMaps('nullCounts')
    this.nanCounts = buffer.longMaps('nanCounts')
    this.lowerBounds = buffer.bytesMaps('lowerBounds')
    this.upperBounds = buffer.bytesMaps('upperBounds')
    const tuples = buffer.distinct('partition')
    this.tupleCodes = tuples?.codes ?? new Int32Array(this.length)
    const { readPartition } = program
    this.tuples =
      tuples === undefined || readPartition === undefined
        ? [[]]
        : Array.from(tuples.values(), (value) => readPartition(new Tap(value, file)))
    const formats = buffer.distinct('format')
    this.formatCodes = formats?.codes ?? new Int32Array(0)
    this.formatNames = Array.from(formats?.values() ?? [], (value) => new Tap(value, file).string())
  }
}

/** An entry that has been read, its file with all the metrics that were asked for: a view of columns. */
export class LoadedEntry implements ManifestEntry {
  constructor(
    private readonly manifest: LoadedManifest,
    private readonly index: number,
  ) {}

  get status(): EntryStatus {
    return STATUSES[this.manifest.columns.status.at(this.index)!]!
  }

  get snapshotId(): bigint | undefined {
    return this.manifest.columns.snapshotId.at(this.index) ?? this.manifest.list.addedSnapshotId
  }

  get file(): ManifestContentFile {
    return new ManifestContentFile(this.manifest, this.index)
  }
}

/**
 * A manifest that has been read. Its entries have what the manifest's list entry hands down (Iceberg spec, "Sequence Number Inheritance",
 * "First Row ID Inheritance").
 */
export class LoadedManifest {
  /** Number of entries. */
  readonly length: number
  /** Estimated memory. */
  readonly byteLength: number
  /** The row ids of live files that have or inherit one; 0 elsewhere. */
  readonly firstRowIds: BigInt64Array | undefined
  /** By the codes of the columns. */
  readonly formats: readonly (FileFormat | undefined)[]

  /** CORRUPT_FILE or UNSUPPORTED naming the manifest if a field is missing or has a value that it may not have. */
  constructor(
    readonly header: ManifestHeader,
    readonly list: ManifestFile,
    readonly columns: EntryColumns,
    program: EntryProgram,
  ) {
    this.length = columns.length
    this.formats = this.#check(program)
    this.firstRowIds = this.#firstRowIds()
    this.byteLength =
      MANIFEST_BYTES +
      columns.byteLength +
      columns.tuples.length * TUPLE_BYTES +
      (this.firstRowIds === undefined ? 0 : this.length * 8)
  }

  entry(index: number): LoadedEntry {
    return new LoadedEntry(this, index)
  }

  isDeleted(index: number): boolean {
    return this.columns.status.at(index) === DELETED
  }

  /** All entries in order, deleted ones too; made anew by each call. */
  get entries(): readonly LoadedEntry[] {
    return Array.from({ length: this.length }, (_, index) => new LoadedEntry(this, index))
  }

  /** Whether an entry without sequence numbers takes that of the manifest. */
  inheritsSequence(index: number): boolean {
    return this.columns.status.at(index) === 1 || this.list.sequenceNumber === 0n
  }

  /** Looks at every entry once, so that none of them fails later. */
  #check(program: EntryProgram): (FileFormat | undefined)[] {
    const { columns, list, header } = this
    const { path: file } = list
    const formats: (FileFormat | undefined)[] = []
    const known = (name: Parameters<EntryProgram['segments']['has']>[0], field: string) =>
      required(program.segments.has(name) ? true : undefined, field, file)
    for (let i = 0; i < this.length; i++) {
      const status = required(columns.status.at(i), 'status', file)
      if (status < 0 || status > 2) throw corrupt(file, 'status', status, 'must be 0, 1 or 2')
      required(program.hasFile ? true : undefined, 'data_file', file)
      if (!columns.sequenceNumber.has(i) && !this.inheritsSequence(i)) {
        const what = `is missing for ${columns.path.text(i)}, whose status is ${STATUSES[status]}`
        throw corrupt(file, 'sequence_number', undefined, what)
      }
      if (i === 0) known('path', 'file_path')
      const content = columns.content.at(i) ?? 0
      if ((content === 0) !== (header.content === 'data') || content < 0 || content > 2) {
        contentOf(content, header.content, columns.path.text(i)!, file)
      }
      if (i === 0) known('format', 'file_format')
      const format = columns.formatCodes[i]!
      formats[format] ??= formatOf(columns.formatNames[format]!, columns.path.text(i)!, file)
      if (i === 0) known('recordCount', 'record_count')
      if (i === 0) known('fileSizeInBytes', 'file_size_in_bytes')
    }
    return formats
  }

  /** All entries of the manifest in its order: row ids count every live file, whether it is planned or not. */
  #firstRowIds(): BigInt64Array | undefined {
    const { columns, list, header } = this
    // Without a value in the list the table had no row lineage when it was written: stored ids do not count.
    if (header.content !== 'data' || list.firstRowId === undefined) return undefined
    const ids = new BigInt64Array(this.length)
    let next = list.firstRowId
    for (let i = 0; i < this.length; i++) {
      const stored = columns.firstRowId.at(i)
      if (stored !== undefined) ids[i] = stored
      else if (!this.isDeleted(i)) {
        ids[i] = next
        next += columns.recordCount.at(i)!
      }
    }
    return ids
  }
}
