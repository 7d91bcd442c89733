import { LakefoldError } from '../../base/errors.js'
import type { FileEntry } from './live-entry.js'
import type { Partition } from './partitions.js'
import type { TableView } from './table-view.js'

/** UNSUPPORTED naming the counts where what differs in a partition has two bucket counts: its keys are then in no common bucket. */
export function refuseRescaled({ paths }: TableView, changed: Iterable<FileEntry>): void {
  const counts = new Map<Partition, number>()
  for (const { partition, bucket, totalBuckets } of changed) {
    const other = counts.get(partition) ?? totalBuckets
    if (other !== totalBuckets) {
      throw new LakefoldError('UNSUPPORTED', `${paths.root}: no difference across a change of the bucket count`, {
        context: { table: paths.root, bucket, totalBuckets, other },
      })
    }
    counts.set(partition, totalBuckets)
  }
}
