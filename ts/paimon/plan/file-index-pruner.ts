import type { BoundExpression } from '../../expr/node.js'
import { parseFileIndex } from '../file-index/container.js'
import { evaluateFileIndex, type FileIndexResult } from '../file-index/evaluate.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import { fileFormat } from '../metadata/file-paths.js'
import type { TableSchema } from '../metadata/schema.js'
import { toBound } from './exec-predicate.js'
import type { FileSchemas } from './file-stats.js'
import type { FileEntry } from './live-entry.js'
import type { Predicate } from './predicate.js'

/** Whether the index that an entry carries leaves rows that may match; true where it carries none. */
export function fileIndexTest(predicate: Predicate, schemas: FileSchemas): (entry: FileEntry) => boolean {
  const bound = toBound(predicate)
  return ({ file, manifest }) => {
    const bytes = file.embeddedFileIndex
    return (
      bytes === undefined || askIndex(bound, bytes, embeddedName(manifest, file), schemas.of(file.schemaId), file).keep
    )
  }
}

/** How errors name the index that an entry carries. */
export function embeddedName(holder: string, { fileName }: DataFileMeta): string {
  return `${holder} (${fileName}: _EMBEDDED_FILE_INDEX)`
}

/** What the bytes of a file's index say about a filter; `schema` is what the file was written with. */
export function askIndex(
  filter: BoundExpression,
  bytes: Uint8Array,
  name: string,
  schema: TableSchema,
  file: DataFileMeta,
): FileIndexResult {
  // The blanks at the end of a CHAR are in the index, but not in the rows that ORC gives.
  const trimmed = fileFormat(file.fileName) === 'orc'
  const fieldOf = (id: number) => {
    const field = schema.fieldById(id)
    return trimmed && field?.type.kind === 'char' ? undefined : field
  }
  return evaluateFileIndex(filter, parseFileIndex(bytes, name), fieldOf, file.rowCount)
}
