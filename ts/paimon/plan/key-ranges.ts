import { compareValues } from '../../types/compare.js'
import type { Value } from '../../types/types.js'
import { decodeRow } from '../metadata/binary-row.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import type { Datum } from '../metadata/datum.js'
import { LazyPlace } from '../metadata/errors.js'
import { sharedType } from '../metadata/shared-type.js'
import type { PaimonField } from '../metadata/types.js'
import { PriorityQueue } from './priority-queue.js'

/** A file with its decoded key range. */
export interface KeyedFile {
  readonly file: DataFileMeta
  readonly min: readonly Datum[]
  readonly max: readonly Datum[]
}

/** Compares keys: the columns of the trimmed primary key in their declared order. */
export type KeyOrder = (a: readonly Datum[], b: readonly Datum[]) => number

export function keyOrder(keys: readonly PaimonField[]): KeyOrder {
  const columns = keys.map((field) => compareValues(sharedType(field.type, field.id)))
  return (a, b) => {
    for (let i = 0; i < columns.length; i++) {
      const [x, y] = [a[i] as Datum, b[i] as Datum]
      // Keys are not null; a null that a broken file has comes first.
      if (x === null || y === null) {
        if (x === y) continue
        return x === null ? -1 : 1
      }
      const order = columns[i]?.(x as Value, y as Value) ?? 0
      if (order !== 0) return order
    }
    return 0
  }
}

/** Decodes the key ranges of files; `place` names the table or manifest in errors. */
export function keyedFiles(
  files: readonly DataFileMeta[],
  keys: readonly PaimonField[],
  place: string,
): readonly KeyedFile[] {
  const types = keys.map((field) => field.type)
  return files.map((file) => ({
    file,
    min: decodeRow(file.minKey, types, new LazyPlace(place, () => `${file.fileName}: _MIN_KEY`)),
    max: decodeRow(file.maxKey, types, new LazyPlace(place, () => `${file.fileName}: _MAX_KEY`)),
  }))
}

/** Cuts files into sections that have no key in common, in key order; within a section by least key, then greatest. */
export function keySections(files: readonly KeyedFile[], order: KeyOrder): KeyedFile[][] {
  const sorted = [...files].sort((a, b) => order(a.min, b.min) || order(a.max, b.max))
  const sections: KeyedFile[][] = []
  let bound: readonly Datum[] = []
  for (const file of sorted) {
    const section = sections.at(-1)
    if (section !== undefined && order(file.min, bound) <= 0) {
      section.push(file)
      if (order(file.max, bound) > 0) bound = file.max
    } else {
      sections.push([file])
      bound = file.max
    }
  }
  return sections
}

/**
 * Puts the files of a section into as few runs as that takes; the files of a run follow each other and have no key in
 * common. Each file goes to the run that ended first, if it ended before the file; the runs come in the reference's order.
 */
export function sortedRuns(section: readonly KeyedFile[], order: KeyOrder): KeyedFile[][] {
  const end = (run: readonly KeyedFile[]) => (run.at(-1) as KeyedFile).max
  const runs = new PriorityQueue<KeyedFile[]>((a, b) => order(end(a), end(b)))
  for (const file of section) {
    const first = runs.poll()
    if (first !== undefined && order(file.min, end(first)) > 0) first.push(file)
    else runs.add([file])
    if (first !== undefined) runs.add(first)
  }
  return runs.toArray()
}
