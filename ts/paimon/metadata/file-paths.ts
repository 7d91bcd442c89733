import type { DataFileMeta } from './data-file.js'
import type { Datum } from './datum.js'
import type { IndexEntry } from './index-manifest.js'
import { DATA_FILE_PATH_DIRECTORY, INDEX_FILE_IN_DATA_FILE_DIR } from './options.js'
import { type PartitionSpelling, partitionPath, partitionSpelling } from './partition-path.js'
import { join, type TablePaths } from './paths.js'
import type { TableSchema } from './schema.js'

/** The bucket that holds rows before they are given one. */
const POSTPONE_BUCKET = -2

/** Where the data and index files of a table are. */
export class FilePaths {
  private readonly spelling: PartitionSpelling
  /** What stands before the folders of the data files, empty or with a slash at its end. */
  private readonly before: string
  private readonly indexBesideData: boolean

  constructor(
    private readonly paths: TablePaths,
    /** The table's current schema: its partition columns and options. */
    private readonly schema: TableSchema,
  ) {
    this.spelling = partitionSpelling(schema.options)
    const folder = schema.options.get(DATA_FILE_PATH_DIRECTORY)
    this.before = folder === undefined ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`
    this.indexBesideData = schema.options.get(INDEX_FILE_IN_DATA_FILE_DIR)
  }

  /** The folders of a bucket from the table's folder on, such as `dt=19737/bucket-0`. */
  bucketPath(partition: readonly Datum[], bucket: number): string {
    const folder = bucket === POSTPONE_BUCKET ? 'bucket-postpone' : `bucket-${bucket}`
    const partitions = partitionPath(this.schema.partitionFields, partition, this.spelling)
    return this.before + (partitions === '' ? folder : `${partitions}/${folder}`)
  }

  /** The folder of a bucket. */
  bucketFolder(partition: readonly Datum[], bucket: number): string {
    return join(this.paths.root, this.bucketPath(partition, bucket))
  }

  /** The location of a data file. */
  dataFile(partition: readonly Datum[], bucket: number, file: DataFileMeta): string {
    return file.externalPath ?? join(this.bucketFolder(partition, bucket), file.fileName)
  }

  /** The location of a file beside a data file, by its name. */
  extraFile(partition: readonly Datum[], bucket: number, file: DataFileMeta, name: string): string {
    const { externalPath } = file
    if (externalPath === undefined) return join(this.bucketFolder(partition, bucket), name)
    return externalPath.slice(0, externalPath.lastIndexOf('/') + 1) + name
  }

  /** The location of an index file; `partition` are the values of its partition row. */
  indexFile(entry: Pick<IndexEntry, 'bucket' | 'fileName' | 'externalPath'>, partition: readonly Datum[]): string {
    if (entry.externalPath !== undefined) return entry.externalPath
    if (this.indexBesideData) return join(this.bucketFolder(partition, entry.bucket), entry.fileName)
    return this.paths.index(entry.fileName)
  }
}

/** The format of a data file: its extension, in lower case; empty if it has none. */
export function fileFormat(fileName: string): string {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}
