import { byOrder } from '../../types/compare.js'
import type { DataFileMeta } from '../metadata/data-file.js'

/** Files by the ranges of their row ids, those that overlap together, in the order of the ids; a file without ids stands alone. */
export function rowIdGroups(files: readonly DataFileMeta[]): DataFileMeta[][] {
  const groups: DataFileMeta[][] = files.filter((file) => file.firstRowId === undefined).map((file) => [file])
  const sorted = files
    .filter((file) => file.firstRowId !== undefined)
    .sort((a, b) => {
      const [x, y] = [a.firstRowId as bigint, b.firstRowId as bigint]
      // In a group the oldest file comes first, blobs after those that hold whole rows.
      if (x !== y) return x < y ? -1 : 1
      const blobs = Number(isBlob(a)) - Number(isBlob(b))
      if (blobs !== 0) return blobs
      return byOrder(a.maxSequenceNumber, b.maxSequenceNumber)
    })
  let end = -1n
  let open = false
  for (const file of sorted) {
    const first = file.firstRowId as bigint
    const last = first + file.rowCount - 1n
    if (open && first <= end) groups.at(-1)?.push(file)
    else {
      groups.push([file])
      end = -1n
      open = true
    }
    if (last > end) end = last
  }
  return groups
}

/** Whether a file holds the values of a blob column. */
export function isBlob(file: DataFileMeta): boolean {
  return file.fileName.endsWith('.blob')
}
