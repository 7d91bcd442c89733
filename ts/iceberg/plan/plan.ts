import type { ScanMetrics } from '../../scan/report.js'
import type { ContentFile } from '../manifest/types.js'
import type { Snapshot } from '../metadata/snapshot.js'
import { inHashOrder } from './hash-order.js'
import { PlanContext, type PlanRequest } from './plan-context.js'
import type { PlannedFile } from './planned-file.js'
import { dataEntries, indexDeletes, LIVE, snapshotManifests } from './read-manifests.js'

/**
 * The data files of a snapshot that may hold matching rows, each with the deletes that apply to it and what is left of
 * the filter; in manifest list order (or Java's, if asked), then entry order. Lazy: manifests are read as the files are asked for, delete
 * manifests first, and leaving the loop stops reading. Files come some at a time.
 */
export async function* planSnapshot(request: PlanRequest, snapshot: Snapshot): AsyncGenerator<PlannedFile[]> {
  const context = new PlanContext(request)
  const { metrics } = request.trace
  const manifests = await snapshotManifests(context, snapshot)
  metrics['total-data-manifests'] += manifests.data.length
  metrics['total-delete-manifests'] += manifests.deletes.length
  const deletes = await indexDeletes(context, manifests.deletes)
  const data = request.order === 'hash' ? inHashOrder(manifests.data) : manifests.data
  const { snapshotId } = snapshot
  for await (const entries of dataEntries(context, data, LIVE, deletes.equalityIds)) {
    const planned = entries.map(({ file }): PlannedFile => {
      return { file, deletes: deletes.forDataFile(file), residual: context.residual(file), snapshotId }
    })
    for (const one of planned) countResult(metrics, one)
    yield planned
  }
}

/** Counts a file of the result, as Java's `ScanMetricsUtil.fileTask`. */
export function countResult(metrics: ScanMetrics, planned: PlannedFile): void {
  metrics['result-data-files']++
  metrics['total-file-size-in-bytes'] += Number(planned.file.fileSizeInBytes)
  metrics['result-delete-files'] += planned.deletes.length
  for (const file of planned.deletes) metrics['total-delete-file-size-in-bytes'] += contentSize(file)
}

/** Bytes of a delete file's content: of a deletion vector, its blob. */
function contentSize(file: ContentFile): number {
  return Number(file.format === 'puffin' ? (file.contentSizeInBytes ?? 0n) : file.fileSizeInBytes)
}
