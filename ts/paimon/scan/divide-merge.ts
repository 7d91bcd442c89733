import type { JsonValue } from '../../types/types.js'
import type { TaskDocument } from './task-document.js'

type Section = readonly (readonly TaskDocument[])[]

/**
 * Merges that have the rows of one, one after the other, each of about so many bytes of its files: sections have no key in
 * common, and a large one is read in parts, whose keys the reader cuts. What cannot be divided is the document itself.
 */
export function dividedMerge(document: TaskDocument, bytes: number): readonly TaskDocument[] {
  const rows = document.rows as TaskDocument
  const pieces: TaskDocument[] = []
  let group: Section[] = []
  let size = 0
  const add = (sections: readonly Section[], more: TaskDocument): void => {
    const file = dataFile(sections[0]?.[0]?.[0] as TaskDocument)
    const merge = { ...rows, ...more, sections: sections as unknown as JsonValue }
    pieces.push({ ...document, 'data-file': file, length: file['file-size-in-bytes'] as JsonValue, rows: merge })
  }
  const close = (): void => {
    if (group.length > 0) add(group, {})
    group = []
    size = 0
  }
  const most = bytes * LARGER
  for (const section of rows.sections as unknown as readonly Section[]) {
    const files = section.flat().map(dataFile)
    const own = files.reduce((sum, file) => sum + Number(file['file-size-in-bytes']), 0)
    const count = files.every(isFound) ? Math.min(MOST_PARTS, Math.floor(own / most)) : 1
    if (group.length > 0 && (count > 1 || size + own > most)) close()
    if (count > 1) {
      for (let index = 0; index < count; index++) add([section], { part: { index, count } })
      continue
    }
    group.push(section)
    size += own
  }
  close()
  return pieces.length > 1 ? pieces : [document]
}

/** Pieces of a merge are as many times as large as others: where one ends, a page of each column of each file is read twice. */
const LARGER = 2

/** More parts than these are refused. */
const MOST_PARTS = 2 ** 16

const dataFile = (file: TaskDocument): TaskDocument => file['data-file'] as TaskDocument

/** Whether rows can be read by where they stand in a file, and the file has all that it says. */
const isFound = (file: TaskDocument): boolean => file.format === 'parquet' && file.ignore === undefined
