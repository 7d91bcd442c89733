import { placedError } from '../metadata/errors.js'
import { Cursor } from './cursor.js'

const MAGIC = 1493475289347502n
const VERSION = 1

/** One index of one column. */
export interface ColumnIndex {
  /** Such as `bloom-filter`, `bitmap`, `bsi`, `range-bitmap`. */
  readonly type: string
  /** Undefined: every value of the column is null. */
  readonly body: Cursor | undefined
}

/** The indexes of a data file by column name, as a `.index` file or a manifest holds them. */
export type FileIndex = ReadonlyMap<string, readonly ColumnIndex[]>

/** Reads the container of a file's indexes; `file` is named in errors: CORRUPT_FILE, or UNSUPPORTED for another version. */
export function parseFileIndex(bytes: Uint8Array, file: string): FileIndex {
  const place = { file, field: 'file index' }
  const whole = new Cursor(bytes, place)
  const magic = whole.long()
  if (magic !== MAGIC) whole.fail(`does not begin with its magic number but with ${magic}`)
  const version = whole.int()
  if (version !== VERSION) throw placedError('UNSUPPORTED', place, `has the version ${version}`, version)
  const headLength = whole.int()
  const head = whole.sub(0, headLength)
  head.at = whole.at
  const columns = new Map<string, ColumnIndex[]>()
  for (let left = head.count(); left > 0; left--) {
    const column = head.utf()
    const indexes = columns.get(column) ?? []
    columns.set(column, indexes)
    for (let more = head.count(); more > 0; more--) {
      const type = head.utf()
      const [start, length] = [head.int(), head.int()]
      const where = { file, field: `file index, ${type} of column "${column}"` }
      const body = start === -1 ? undefined : new Cursor(whole.sub(start, length).bytes, where)
      indexes.push({ type, body })
    }
  }
  return columns
}
