import { inclusiveMetrics } from '../../expr/evaluate-inclusive.js'
import { partitionEvaluator } from '../../expr/evaluate-partition.js'
import type { BoundExpression, FileMetrics } from '../../expr/node.js'
import { projectInclusive, type SourceTypes } from '../../expr/project.js'
import type { PartitionSpec, PartitionTuple } from '../../types/partition.js'
import type { ContentFile } from '../manifest/types.js'
import { blame } from './blame.js'

/** The second and third prune: files that their partition tuple or their column metrics rule out. */
export class FilePrune {
  readonly #filter: BoundExpression
  readonly #specOf: (id: number) => PartitionSpec
  readonly #sourceTypes: SourceTypes
  readonly #metrics: (file: FileMetrics) => boolean
  readonly #bySpec = new Map<number, (tuple: PartitionTuple) => boolean>()
  /** The last tuple and whether it may match: neighbours share theirs. */
  #last: { readonly specId: number; readonly tuple: PartitionTuple; readonly matches: boolean } | undefined

  constructor(filter: BoundExpression, specOf: (id: number) => PartitionSpec, sourceTypes: SourceTypes) {
    this.#filter = filter
    this.#specOf = specOf
    this.#sourceTypes = sourceTypes
    this.#metrics = inclusiveMetrics(filter)
  }

  /** What rules the file out, if anything does. */
  drops(file: ContentFile): 'partition' | 'metrics' | undefined {
    if (this.#filter.op === 'true') return undefined
    if (!this.#inPartition(file.specId, file.partition)) return 'partition'
    return this.#metrics(statisticsThatCount(file)) ? undefined : 'metrics'
  }

  #inPartition(specId: number, tuple: PartitionTuple): boolean {
    if (this.#last?.tuple === tuple && this.#last.specId === specId) return this.#last.matches
    let test = this.#bySpec.get(specId)
    if (test === undefined) {
      test = this.#partition(this.#filter, specId)
      this.#bySpec.set(specId, test)
    }
    this.#last = { specId, tuple, matches: test(tuple) }
    return this.#last.matches
  }

  /** The parts of the filter that dropped a file. */
  why(file: ContentFile, stage: 'partition' | 'metrics'): string[] {
    return blame(this.#filter, (part) =>
      stage === 'partition'
        ? this.#partition(part, file.specId)(file.partition)
        : inclusiveMetrics(part)(statisticsThatCount(file)),
    )
  }

  #partition(filter: BoundExpression, specId: number): (tuple: PartitionTuple) => boolean {
    return partitionEvaluator(projectInclusive(filter, this.#specOf(specId), this.#sourceTypes))
  }
}

/**
 * Of an equality delete file only the key's statistics say which rows it deletes: other columns that a writer left in
 * it hold old values, and the row that they would rule out may be a different one by now.
 */
function statisticsThatCount(file: ContentFile): FileMetrics {
  if (file.content !== 'equality-deletes' || file.equalityIds === undefined) return file
  const key = new Set(file.equalityIds)
  const ofKey =
    <T>(read: (id: number) => T | undefined) =>
    (id: number) =>
      key.has(id) ? read(id) : undefined
  return {
    recordCount: file.recordCount,
    countsPresentStructs: file.countsPresentStructs,
    get mergedUuidBounds() {
      return file.mergedUuidBounds
    },
    valueCount: ofKey((id) => file.valueCount(id)),
    nullCount: ofKey((id) => file.nullCount(id)),
    nanCount: ofKey((id) => file.nanCount(id)),
    lowerBound: ofKey((id) => file.lowerBound(id)),
    upperBound: ofKey((id) => file.upperBound(id)),
  }
}
