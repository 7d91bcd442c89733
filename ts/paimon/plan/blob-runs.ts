import { LakefoldError } from '../../base/errors.js'
import { byOrder } from '../../types/compare.js'
import type { DataFileMeta } from '../metadata/data-file.js'

/** Where the blob files of a group belong. */
export interface BlobGroup {
  /** The file that has the group's other columns: its rows are the group's. */
  readonly anchor: DataFileMeta
  /** The one column of a file. */
  readonly columnOf: (file: DataFileMeta) => number
  readonly pathOf: (file: DataFileMeta) => string
  /** Whether files of rows that are not wanted were left out. */
  readonly mayMiss: boolean
}

/**
 * The blob files of a group that count, by the column that they give, in the order of their row ids: where files overlap, the newest of those
 * that start first. CORRUPT_FILE where a column's files do not give just the rows of the group, or where a newer file begins inside of an older one.
 */
export function blobRuns(
  files: readonly DataFileMeta[],
  group: BlobGroup,
): ReadonlyMap<number, readonly DataFileMeta[]> {
  const runs = new Map<number, DataFileMeta[]>()
  const first = firstRow(group.anchor)
  const end = first + group.anchor.rowCount
  const nextOf = (run: readonly DataFileMeta[]) => {
    const last = run.at(-1)
    return last === undefined ? first : firstRow(last) + last.rowCount
  }
  const sorted = [...files].sort(
    (a, b) => byOrder(firstRow(a), firstRow(b)) || byOrder(b.maxSequenceNumber, a.maxSequenceNumber),
  )
  for (const file of sorted) {
    const column = group.columnOf(file)
    const run = runs.get(column) ?? []
    runs.set(column, run)
    const next = nextOf(run)
    const last = run.at(-1)
    if (firstRow(file) < next && last !== undefined) {
      if (file.maxSequenceNumber < last.maxSequenceNumber) continue
      throw broken(file, group, 'begins inside of an older one')
    }
    if (group.mayMiss ? firstRow(file) < next : firstRow(file) !== next) {
      throw broken(file, group, `does not begin at row id ${next}`)
    }
    run.push(file)
  }
  for (const run of runs.values()) {
    const last = run.at(-1) as DataFileMeta
    if (group.mayMiss ? nextOf(run) > end : nextOf(run) !== end) {
      throw broken(last, group, `does not end at row id ${end - 1n}`)
    }
  }
  return runs
}

function firstRow(file: DataFileMeta): bigint {
  return file.firstRowId ?? 0n
}

function broken(file: DataFileMeta, { pathOf }: BlobGroup, what: string): LakefoldError {
  const path = pathOf(file)
  return new LakefoldError('CORRUPT_FILE', `${path}: the blob file ${what}`, {
    context: { file: path, field: 'firstRowId', value: file.firstRowId },
  })
}
