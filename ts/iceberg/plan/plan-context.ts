import { referencedFieldIds, TRUE } from '../../expr/fold.js'
import type { BoundExpression } from '../../expr/node.js'
import type { SourceTypes } from '../../expr/project.js'
import { residuals } from '../../expr/residual.js'
import type { FileIO } from '../../io/file-io.js'
import type { ScanTrace } from '../../scan/report.js'
import type { PartitionSpec, PartitionTuple } from '../../types/partition.js'
import { optionalParents, type Schema } from '../../types/schema.js'
import type { ManifestCache } from '../manifest/cache.js'
import type { ContentFile } from '../manifest/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { keyColumnsOf } from './key-columns.js'
import type { KeyColumns } from './key-overlap.js'
import { ListPrune } from './prune-lists.js'
import { FilePrune } from './prune-manifests.js'

/** What a plan is made of. */
export interface PlanRequest {
  readonly metadata: TableMetadata
  readonly io: FileIO
  /** The schema of rows and filter. Partition fields whose source is not in it do not filter. */
  readonly schema: Schema
  readonly filter: BoundExpression
  /** Whether all residuals are true. */
  readonly ignoreResiduals: boolean
  readonly trace: ScanTrace
  readonly cache?: ManifestCache
  readonly signal?: AbortSignal
  /** Manifests read at a time. Default 8. */
  readonly readAhead?: number
  /** In which order data manifests come: of the list (default), or as Java's plan has them. */
  readonly order?: 'list' | 'hash'
}

/** A request with its prunes and residuals, compiled once per partition spec. */
export class PlanContext {
  readonly lists: ListPrune
  readonly files: FilePrune
  readonly keyColumns: KeyColumns
  readonly width: number
  readonly #sourceTypes: SourceTypes
  readonly #residuals = new Map<number, (tuple: PartitionTuple) => BoundExpression>()
  /** The last answer: neighbours share their tuple. */
  #last: { readonly specId: number; readonly tuple: PartitionTuple; readonly residual: BoundExpression } | undefined

  constructor(readonly request: PlanRequest) {
    const { metadata, schema, filter } = request
    this.#sourceTypes = (id) => schema.findField(id)?.type
    const specOf = (id: number) => metadata.specById(id)
    this.lists = new ListPrune(filter, specOf, this.#sourceTypes)
    this.files = new FilePrune(filter, specOf, this.#sourceTypes)
    this.keyColumns = keyColumnsOf(metadata, schema)
    this.width = Math.max(1, request.readAhead ?? 8)
  }

  get specs(): ReadonlyMap<number, PartitionSpec> {
    return new Map(this.request.metadata.specs.map((spec) => [spec.specId, spec]))
  }

  /** The columns whose metrics the filter looks at, those of equality keys, and the structs that may hide their nulls. */
  statistics(equalityIds: Iterable<number> = []): ReadonlySet<number> {
    const ids = new Set([...referencedFieldIds(this.request.filter), ...equalityIds])
    for (const id of [...ids]) {
      const column = this.keyColumns(id)
      if (column !== undefined) for (const parent of optionalParents(column)) ids.add(parent)
    }
    return ids
  }

  /** What is left of the filter for the rows of a file. */
  residual(file: ContentFile): BoundExpression {
    const { filter, ignoreResiduals, metadata, schema } = this.request
    if (ignoreResiduals || filter.op === 'true') return TRUE
    const { specId, partition: tuple } = file
    if (this.#last?.tuple === tuple && this.#last.specId === specId) return this.#last.residual
    let residual = this.#residuals.get(specId)
    if (residual === undefined) {
      residual = residuals(filter, metadata.specById(specId), schema)
      this.#residuals.set(specId, residual)
    }
    this.#last = { specId, tuple, residual: residual(tuple) }
    return this.#last.residual
  }
}
