import { manifestEvaluator } from '../../expr/evaluate-manifest.js'
import type { BoundExpression, FieldSummary } from '../../expr/node.js'
import { projectInclusive, type SourceTypes } from '../../expr/project.js'
import type { PartitionSpec } from '../../types/partition.js'
import type { ManifestFile } from '../manifest/types.js'
import { blame } from './blame.js'

/** The first prune: manifests that the partition summaries of their list entry rule out. */
export class ListPrune {
  readonly #filter: BoundExpression
  readonly #specOf: (id: number) => PartitionSpec
  readonly #sourceTypes: SourceTypes
  readonly #bySpec = new Map<number, (summaries: readonly FieldSummary[]) => boolean>()

  constructor(filter: BoundExpression, specOf: (id: number) => PartitionSpec, sourceTypes: SourceTypes) {
    this.#filter = filter
    this.#specOf = specOf
    this.#sourceTypes = sourceTypes
  }

  /** Whether the manifest has files that are not deleted; unknown counts mean that it has. */
  static hasLiveFiles(manifest: ManifestFile): boolean {
    return manifest.addedFilesCount !== 0 || manifest.existingFilesCount !== 0
  }

  /** Whether some file of the manifest may match, by the manifest's own spec. A v1 embedded manifest has no summaries. */
  keeps(manifest: ManifestFile): boolean {
    // Without summaries the manifest is opened, as Java does even where the filter cannot hold.
    if (this.#filter.op === 'true' || manifest.embedded || manifest.partitions === undefined) return true
    let evaluate = this.#bySpec.get(manifest.specId)
    if (evaluate === undefined) {
      evaluate = this.#evaluator(this.#filter, manifest.specId)
      this.#bySpec.set(manifest.specId, evaluate)
    }
    return evaluate(manifest.partitions)
  }

  /** The parts of the filter that dropped a manifest. */
  why(manifest: ManifestFile): string[] {
    if (this.keeps(manifest)) return ['by its counts it has no file that is asked for']
    return blame(this.#filter, (part) => this.#evaluator(part, manifest.specId)(manifest.partitions ?? []))
  }

  #evaluator(filter: BoundExpression, specId: number): (summaries: readonly FieldSummary[]) => boolean {
    return manifestEvaluator(projectInclusive(filter, this.#specOf(specId), this.#sourceTypes))
  }
}
