import type { DataFileMeta } from '../metadata/data-file.js'
import {
  BLOB_SPLIT_BY_FILE_SIZE,
  BUCKET,
  DATA_EVOLUTION_ENABLED,
  DELETION_VECTORS_ENABLED,
  DELETION_VECTORS_MERGE_ON_READ,
  MERGE_ENGINE,
  SPLIT_OPEN_FILE_COST,
  SPLIT_TARGET_SIZE,
} from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import { rowIdGroups } from './data-evolution.js'
import { keyedFiles, keyOrder, keySections, sortedRuns } from './key-ranges.js'
import { packInOrder } from './pack.js'

/** Files of a bucket that go into one split. */
export interface SplitGroup {
  readonly files: readonly DataFileMeta[]
  readonly rawConvertible: boolean
}

/** Cuts the files of a bucket into splits, as the table's kind wants it. */
export interface SplitGenerator {
  forBatch(files: readonly DataFileMeta[]): readonly SplitGroup[]
  forStreaming(files: readonly DataFileMeta[]): readonly SplitGroup[]
}

export function splitGenerator(schema: TableSchema, place: string): SplitGenerator {
  if (schema.hasPrimaryKey) return mergeTreeGenerator(schema, place)
  return schema.options.get(DATA_EVOLUTION_ENABLED) ? dataEvolutionGenerator(schema) : appendGenerator(schema)
}

function sizes({ options }: TableSchema): { readonly target: number; readonly weight: (file: DataFileMeta) => number } {
  const cost = options.get(SPLIT_OPEN_FILE_COST)
  return { target: options.get(SPLIT_TARGET_SIZE), weight: (file) => Math.max(Number(file.fileSize), cost) }
}

function appendGenerator(schema: TableSchema): SplitGenerator {
  const { target, weight } = sizes(schema)
  const pack = (files: readonly DataFileMeta[]): readonly SplitGroup[] =>
    packInOrder(bySequence(files), weight, target).map((group) => ({ files: group, rawConvertible: true }))
  return {
    forBatch: pack,
    forStreaming: (files) =>
      schema.options.get(BUCKET) === -1 ? pack(files) : [{ files: bySequence(files), rawConvertible: true }],
  }
}

function bySequence(files: readonly DataFileMeta[]): DataFileMeta[] {
  return [...files].sort((a, b) => Number(a.minSequenceNumber - b.minSequenceNumber))
}

/** Whether a read of the table takes each file as it is, because vectors hide what is older or because the first row wins. */
export function readsWithoutMerging({ options }: TableSchema): boolean {
  const vectors = options.get(DELETION_VECTORS_ENABLED) && !options.get(DELETION_VECTORS_MERGE_ON_READ)
  return vectors || options.get(MERGE_ENGINE) === 'first-row'
}

function mergeTreeGenerator(schema: TableSchema, place: string): SplitGenerator {
  const { target, weight } = sizes(schema)
  const cost = schema.options.get(SPLIT_OPEN_FILE_COST)
  const keys = schema.trimmedPrimaryKeys
  const order = keyOrder(keys)
  return {
    forBatch(files) {
      const settled = files.every((file) => file.level !== 0 && hasNoRetractions(file))
      const oneLevel = files.every((file) => file.level === files[0]?.level)
      if (settled && (readsWithoutMerging(schema) || oneLevel)) {
        return packInOrder(files, weight, target).map((group) => ({ files: group, rawConvertible: true }))
      }
      const sections = keySections(keyedFiles(files, keys, place), order).map((section) =>
        sortedRuns(section, order).flatMap((run) => run.map(({ file }) => file)),
      )
      const heavy = (section: readonly DataFileMeta[]): number =>
        Math.max(
          section.reduce((sum, file) => sum + Number(file.fileSize), 0),
          cost,
        )
      return packInOrder(sections, heavy, target).map((bin) => {
        const group = bin.flat()
        const [only] = group
        return { files: group, rawConvertible: group.length === 1 && only !== undefined && hasNoRetractions(only) }
      })
    },
    forStreaming: (files) => [{ files, rawConvertible: true }],
  }
}

/** Old files do not count them; the reference takes that for none. */
function hasNoRetractions({ deleteRowCount }: DataFileMeta): boolean {
  return (deleteRowCount ?? 0n) === 0n
}

function dataEvolutionGenerator(schema: TableSchema): SplitGenerator {
  const { target } = sizes(schema)
  const cost = schema.options.get(SPLIT_OPEN_FILE_COST)
  const blobsBySize = schema.options.get(BLOB_SPLIT_BY_FILE_SIZE)
  const weight = (group: readonly DataFileMeta[]): number =>
    group.reduce((sum, file) => {
      const counts = blobsBySize || !file.fileName.endsWith('.blob')
      return sum + (counts ? Math.max(Number(file.fileSize), cost) : cost)
    }, 0)
  const pack = (files: readonly DataFileMeta[]): readonly SplitGroup[] =>
    packInOrder(rowIdGroups(files), weight, target).map((bin) => ({
      files: bin.flat(),
      rawConvertible: bin.every((group) => group.length === 1),
    }))
  return { forBatch: pack, forStreaming: pack }
}
