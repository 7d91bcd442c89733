import { ColumnBuffer, type SharedColumn } from '../../avro/columns.js'
import type { Read } from '../../avro/read.js'
import { safeId } from './data-file.js'
import type { EntryColumn, EntryProgram } from './entry-program.js'
import { fileKind, fileSource } from './record-codes.js'
import { checkVersion } from './record-version.js'

/** What every entry has before its file, and the file's level, of some entries of a manifest. */
export class HeadColumns {
  readonly length: number
  readonly kind
  readonly bucket
  readonly totalBuckets
  readonly level
  /** The serialized partition rows; entries of one partition share the array. */
  readonly partition

  /** UNSUPPORTED or CORRUPT_FILE naming `file` for an entry of another version, or of no kind. */
  constructor(bytes: Uint8Array, program: EntryProgram, file: string) {
    const buffer = new ColumnBuffer<EntryColumn>(bytes, program.segments)
    this.length = buffer.length
    this.kind = buffer.ints('kind')
    this.bucket = buffer.ints('bucket')
    this.totalBuckets = buffer.ints('totalBuckets')
    this.level = buffer.ints('level')
    this.partition = sharedColumn<Uint8Array>(buffer, program, 'partition', file) as SharedColumn<Uint8Array>
    const version = buffer.ints('version')
    for (let i = 0; i < this.length; i++) {
      checkVersion(version.at(i)!, 2, file)
      fileKind(this.kind.at(i)!, { file, field: '_KIND' })
    }
  }
}

/** Entries of a manifest, all or those that are wanted. */
export class EntryColumns extends HeadColumns {
  readonly fileName
  readonly fileSize
  readonly rowCount
  readonly minKey
  readonly maxKey
  readonly keyStats
  readonly valueStats
  readonly minSequenceNumber
  readonly maxSequenceNumber
  readonly schemaId
  readonly extraFiles
  readonly creationTime
  readonly deleteRowCount
  readonly embeddedFileIndex
  readonly fileSource
  readonly valueStatsCols
  readonly externalPath
  readonly firstRowId
  readonly writeCols
  readonly writeColsSequences

  /** As {@link HeadColumns}, and for a schema that is no id, or a source of files that there is not. */
  constructor(bytes: Uint8Array, program: EntryProgram, file: string) {
    super(bytes, program, file)
    const buffer = new ColumnBuffer<EntryColumn>(bytes, program.segments)
    const shared = <T>(name: EntryColumn) => sharedColumn<T>(buffer, program, name, file)
    const stats = (name: 'keyStats' | 'valueStats') => ({
      minValues: buffer.blobs(`${name}.minValues`),
      maxValues: buffer.blobs(`${name}.maxValues`),
      nullCounts: shared<readonly (bigint | undefined)[] | undefined>(`${name}.nullCounts`),
    })
    this.fileName = buffer.blobs('fileName')
    this.fileSize = buffer.longs('fileSize')
    this.rowCount = buffer.longs('rowCount')
    this.minKey = buffer.blobs('minKey')
    this.maxKey = buffer.blobs('maxKey')
    this.keyStats = stats('keyStats')
    this.valueStats = stats('valueStats')
    this.minSequenceNumber = buffer.longs('minSequenceNumber')
    this.maxSequenceNumber = buffer.longs('maxSequenceNumber')
    this.schemaId = buffer.longs('schemaId')
    this.extraFiles = shared<readonly string[]>('extraFiles')
    this.creationTime = buffer.longs('creationTime')
    this.deleteRowCount = buffer.longs('deleteRowCount')
    this.embeddedFileIndex = buffer.blobs('embeddedFileIndex')
    this.fileSource = buffer.ints('fileSource')
    this.valueStatsCols = shared<readonly string[] | undefined>('valueStatsCols')
    this.externalPath = buffer.blobs('externalPath')
    this.firstRowId = buffer.longs('firstRowId')
    this.writeCols = shared<readonly string[] | undefined>('writeCols')
    this.writeColsSequences = shared<readonly bigint[] | undefined>('writeColsSequences')
    for (let i = 0; i < this.length; i++) {
      safeId(this.schemaId.at(i)!, { file, field: '_FILE._SCHEMA_ID' })
      const source = this.fileSource.at(i)
      if (source !== undefined) fileSource(source, { file, field: '_FILE._FILE_SOURCE' })
    }
  }
}

/** A column of shared values; undefined where the writer lacks it. */
function sharedColumn<T>(
  buffer: ColumnBuffer<EntryColumn>,
  { readers }: EntryProgram,
  name: EntryColumn,
  file: string,
): SharedColumn<T> | undefined {
  const read = readers.get(name) as Read<T> | undefined
  return read === undefined ? undefined : buffer.shared(name, read, file)
}
