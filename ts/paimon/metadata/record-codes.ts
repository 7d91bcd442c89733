import { corruptAt, type Place } from './errors.js'

/** What an entry does to the table's files. */
export type FileKind = 'ADD' | 'DELETE'

/** Where a data file came from. */
export type FileSource = 'APPEND' | 'COMPACT'

/** The kind of an entry by its code. */
export function fileKind(code: number, place: Place): FileKind {
  if (code === 0) return 'ADD'
  return code === 1 ? 'DELETE' : corruptAt(place, `is ${code}, which is no kind of entry`, code)
}

/** The source of a file by its code. */
export function fileSource(code: number, place: Place): FileSource {
  if (code === 0) return 'APPEND'
  return code === 1 ? 'COMPACT' : corruptAt(place, `is ${code}, which is no source of files`, code)
}
