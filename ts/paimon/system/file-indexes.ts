import { Bool, Field, type Table } from 'apache-arrow'
import { type Cell, tableOfCells } from '../../arrow/cells.js'
import { parseFileIndex } from '../file-index/container.js'
import type { FileEntry } from '../plan/live-entry.js'
import { optional, required } from './columns.js'
import { bucketFiles } from './file-rows.js'
import type { SystemSource } from './source.js'
import { rowText } from './value-text.js'

const COLUMNS = [
  optional('partition', 'string'),
  required('bucket', 'int'),
  required('file_path', 'string'),
  required('file_size_in_bytes', 'bigint'),
  required('record_count', 'bigint'),
  required('schema_id', 'bigint'),
  required('column_name', 'string'),
  required('index_type', 'string'),
  required('storage_type', 'string'),
  optional('index_file_path', 'string'),
  required('index_size_in_bytes', 'bigint'),
  required('index_container_size_in_bytes', 'bigint'),
  new Field('is_empty', new Bool(), false),
]

/** The file indexes of the snapshot's data files, those in manifests and those in files of their own. */
export async function fileIndexesTable(source: SystemSource): Promise<Table> {
  const { entries } = await bucketFiles(source)
  const rows: Cell[][] = []
  for (const entry of entries) {
    for (const container of await containersOf(source, entry)) rows.push(...indexRows(source, entry, container))
  }
  return tableOfCells(COLUMNS, rows)
}

interface Container {
  readonly bytes: Uint8Array
  /** Undefined where the manifest holds it. */
  readonly path: string | undefined
}

async function containersOf({ view, options }: SystemSource, entry: FileEntry): Promise<readonly Container[]> {
  const { partition, bucket, file } = entry
  if (file.embeddedFileIndex !== undefined) return [{ bytes: file.embeddedFileIndex, path: undefined }]
  const containers: Container[] = []
  for (const name of file.extraFiles.filter((extra) => extra.endsWith('.index'))) {
    const path = view.files.extraFile(partition.values, bucket, file, name)
    containers.push({ bytes: await view.io.read(path, undefined, options.signal), path })
  }
  return containers
}

function indexRows({ view }: SystemSource, entry: FileEntry, { bytes, path }: Container): Cell[][] {
  const { partition, bucket, file, manifest } = entry
  const rows: Cell[][] = []
  for (const [column, indexes] of parseFileIndex(bytes, path ?? manifest)) {
    for (const { type, body } of indexes) {
      rows.push([
        rowText(view.schema.partitionFields, partition.values),
        bucket,
        view.files.dataFile(partition.values, bucket, file),
        file.fileSize,
        file.rowCount,
        BigInt(file.schemaId),
        column,
        type,
        path === undefined ? 'EMBEDDED' : 'EXTERNAL',
        path,
        BigInt(body?.bytes.length ?? 0),
        BigInt(bytes.length),
        body === undefined,
      ])
    }
  }
  return rows
}
