import type { PaimonCache } from './entry-cache.js'
import { type PartitionFilter, PartitionPruner, partitionFilterPredicate } from './partition-pruner.js'
import type { Partition } from './partitions.js'
import { allOf, notOnlyOver, onlyOver, type Predicate } from './predicate.js'
import { rowIdRanges } from './row-id-filter.js'
import { intersectRanges, type RowRange } from './row-ranges.js'
import type { TableView } from './table-view.js'

/** What a scan wants, whatever the snapshot. */
export interface ScanWish {
  /** Of all columns, bound to the schema of the view. */
  readonly predicate: Predicate
  readonly partitionFilter: PartitionFilter
  /** An explicit bucket; it takes the place of derived ones. */
  readonly bucket: number | undefined
  readonly limit: number | undefined
  readonly rowRanges: readonly RowRange[] | undefined
  readonly cache: PaimonCache | undefined
}

/** A scan's wish, taken apart for one view of the table. */
export interface ScanRequest extends Omit<ScanWish, 'partitionFilter'> {
  readonly partitions: PartitionPruner
  /** What the partition does not decide. */
  readonly onRows: Predicate
  /** Whether an entry is wanted beyond all that, by when it was made. */
  readonly createdSince: bigint | undefined
}

/** Takes a wish apart; errors are those of the partition filter. `also` narrows the partitions further. */
export function scanRequest(
  view: TableView,
  wish: ScanWish,
  more: { readonly createdSince?: bigint | undefined; readonly also?: (partition: Partition) => boolean } = {},
): ScanRequest {
  const { schema } = view
  const ids = new Set(schema.partitionFields.map((field) => field.id))
  const onPartition = allOf([partitionFilterPredicate(wish.partitionFilter, schema), onlyOver(wish.predicate, ids)])
  const filtered = rowIdRanges(wish.predicate)
  const asked = wish.rowRanges
  return {
    ...wish,
    rowRanges: filtered !== undefined && asked !== undefined ? intersectRanges(asked, filtered) : (asked ?? filtered),
    partitions: new PartitionPruner(onPartition, schema.partitionFields, more.also),
    onRows: ids.size === 0 ? wish.predicate : notOnlyOver(wish.predicate, ids),
    createdSince: more.createdSince,
  }
}
