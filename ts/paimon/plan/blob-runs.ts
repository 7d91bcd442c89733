import { LakefoldError } from '../../base/errors.js'
import type { DataFileMeta } from '../metadata/data-file.js'

/**
 * The blob files of a group that count, by the column that they give, in the order of their row ids: where files overlap, the newest of those
 * that start first. CORRUPT_FILE where files leave row ids out, unless they `mayMiss` some, or where a newer file begins inside of an older one.
 */
export function blobRuns(
  files: readonly DataFileMeta[],
  columnOf: (file: DataFileMeta) => number,
  pathOf: (file: DataFileMeta) => string,
  mayMiss: boolean,
): ReadonlyMap<number, readonly DataFileMeta[]> {
  const runs = new Map<number, DataFileMeta[]>()
  const sorted = [...files].sort(
    (a, b) => compare(firstRow(a), firstRow(b)) || compare(b.maxSequenceNumber, a.maxSequenceNumber),
  )
  for (const file of sorted) {
    const column = columnOf(file)
    const run = runs.get(column)
    const last = run?.at(-1)
    if (run === undefined || last === undefined) {
      runs.set(column, [file])
      continue
    }
    const next = firstRow(last) + last.rowCount
    if (firstRow(file) >= next) {
      if (firstRow(file) > next && !mayMiss) throw broken(file, pathOf, `does not begin at row id ${next}`)
      run.push(file)
    } else if (file.maxSequenceNumber >= last.maxSequenceNumber) {
      throw broken(file, pathOf, 'begins inside of an older one')
    }
  }
  return runs
}

function firstRow(file: DataFileMeta): bigint {
  return file.firstRowId ?? 0n
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function broken(file: DataFileMeta, pathOf: (file: DataFileMeta) => string, what: string): LakefoldError {
  const path = pathOf(file)
  return new LakefoldError('CORRUPT_FILE', `${path}: the blob file ${what}`, {
    context: { file: path, field: 'firstRowId', value: file.firstRowId },
  })
}
