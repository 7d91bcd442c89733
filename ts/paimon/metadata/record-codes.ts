import { corruptAt, type Place } from './errors.js'

/** What entries do to the table's files, by their codes. */
export const FILE_KINDS = ['ADD', 'DELETE'] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** Where data files came from, by their codes. */
export const FILE_SOURCES = ['APPEND', 'COMPACT'] as const
export type FileSource = (typeof FILE_SOURCES)[number]

/** The kind of an entry by its code. */
export function fileKind(code: number, place: Place): FileKind {
  return FILE_KINDS[code] ?? corruptAt(place, `is ${code}, which is no kind of entry`, code)
}

/** The source of a file by its code. */
export function fileSource(code: number, place: Place): FileSource {
  return FILE_SOURCES[code] ?? corruptAt(place, `is ${code}, which is no source of files`, code)
}
