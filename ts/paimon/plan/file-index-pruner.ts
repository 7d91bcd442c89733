import { parseFileIndex } from '../file-index/container.js'
import { evaluateFileIndex } from '../file-index/evaluate.js'
import { fileFormat } from '../metadata/file-paths.js'
import { toBound } from './exec-predicate.js'
import type { FileSchemas } from './file-stats.js'
import type { FileEntry } from './live-entry.js'
import type { Predicate } from './predicate.js'

/** Whether the index that an entry carries leaves rows that may match; true where it carries none. */
export function fileIndexTest(predicate: Predicate, schemas: FileSchemas): (entry: FileEntry) => boolean {
  const bound = toBound(predicate)
  return ({ file, manifest }) => {
    if (file.embeddedFileIndex === undefined) return true
    const index = parseFileIndex(file.embeddedFileIndex, `${manifest} (${file.fileName}: _EMBEDDED_FILE_INDEX)`)
    const schema = schemas.of(file.schemaId)
    // The blanks at the end of a CHAR are in the index, but not in the rows that ORC gives.
    const trimmed = fileFormat(file.fileName) === 'orc'
    const fieldOf = (id: number) => {
      const field = schema.fieldById(id)
      return trimmed && field?.type.kind === 'char' ? undefined : field
    }
    return evaluateFileIndex(bound, index, fieldOf, file.rowCount).keep
  }
}
