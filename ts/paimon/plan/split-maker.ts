import type { DataFileMeta } from '../metadata/data-file.js'
import { SCAN_PLAN_SORT_PARTITION } from '../metadata/options.js'
import { DataSplit, type DataSplitInit } from './data-split.js'
import type { DeletionLookup } from './deletion-files.js'
import { groupByBucket } from './file-filter.js'
import type { FileEntry } from './live-entry.js'
import { partitionOrder } from './partition-order.js'
import type { PlanCounts } from './scan-metrics.js'
import type { ScanRequest } from './scan-request.js'
import { type SplitGenerator, splitGenerator } from './split-generator.js'
import type { TableView } from './table-view.js'

/** Makes the splits of entries of one view of a table. */
export class SplitMaker {
  private readonly generator: SplitGenerator

  constructor(
    private readonly view: TableView,
    private readonly request: ScanRequest,
    private readonly counts: PlanCounts,
  ) {
    this.generator = splitGenerator(view.schema, view.paths.root)
  }

  /** Entries as splits. */
  cut(
    entries: readonly FileEntry[],
    snapshotId: bigint,
    how: {
      readonly streaming: boolean
      /** Cuts as a batch does, though the rows are changes: what a range of snapshots brought. */
      readonly batchCuts?: boolean
      readonly deletions: DeletionLookup | undefined
    },
  ): DataSplit[] {
    this.counts.resultFiles += entries.length
    const groups = [...groupByBucket(entries).values()]
    if (this.view.options.get(SCAN_PLAN_SORT_PARTITION)) groups.sort(partitionOrder(this.view.schema))
    return groups.flatMap((group) => {
      const [one] = group as [FileEntry]
      const files = group.map((entry) => entry.file)
      const cuts = how.streaming && !how.batchCuts ? this.generator.forStreaming(files) : this.generator.forBatch(files)
      return cuts.map(
        (cut) =>
          new DataSplit({
            ...this.place(one),
            snapshotId,
            dataFiles: cut.files,
            deletionFiles: this.vectors(cut.files, one, how.deletions),
            isStreaming: how.streaming,
            rawConvertible: cut.rawConvertible,
            rowRanges: this.request.rowRanges,
          }),
      )
    })
  }

  /** The split of a bucket that changed. */
  changed(
    snapshotId: bigint,
    one: FileEntry,
    dataFiles: readonly DataFileMeta[],
    beforeFiles: readonly DataFileMeta[],
    more: Pick<DataSplitInit, 'isStreaming' | 'deletionFiles' | 'beforeDeletionFiles'>,
  ): DataSplit {
    this.counts.resultFiles += beforeFiles.length + dataFiles.length
    return new DataSplit({
      ...this.place(one),
      snapshotId,
      dataFiles,
      beforeFiles,
      rawConvertible: false,
      ...more,
    })
  }

  /** Where the files of an entry's bucket are. */
  private place({ partition, bucket, totalBuckets }: FileEntry) {
    return {
      partition: partition.bytes,
      partitionValues: partition.values,
      bucket,
      bucketPath: this.view.files.bucketFolder(partition.values, bucket),
      totalBuckets,
      branch: this.view.paths.branch,
    }
  }

  /** The deletion files of data files of one bucket; undefined where none are looked for. */
  vectors(files: readonly DataFileMeta[], { partition, bucket }: FileEntry, find: DeletionLookup | undefined) {
    return find === undefined ? undefined : files.map((file) => find(partition, bucket, file.fileName))
  }
}
