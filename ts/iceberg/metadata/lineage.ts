import { LakefoldError } from '../../base/errors.js'
import type { Snapshot } from './snapshot.js'
import type { TableMetadata } from './table-metadata.js'

/**
 * A snapshot with its known ancestors, newest first. Parents may have expired: there the line ends.
 *
 * @throws LakefoldError CORRUPT_FILE if the parents run in a circle
 */
export function lineageOf(metadata: TableMetadata, head: bigint | undefined): Snapshot[] {
  const lineage: Snapshot[] = []
  const seen = new Set<bigint>()
  let next = head === undefined ? undefined : metadata.findSnapshot(head)
  while (next !== undefined) {
    if (seen.has(next.snapshotId)) {
      const file = metadata.metadataLocation
      throw new LakefoldError('CORRUPT_FILE', `${file}: snapshot ${next.snapshotId} is its own ancestor`, {
        context: { file, field: 'snapshots.parent-snapshot-id', value: next.snapshotId },
      })
    }
    seen.add(next.snapshotId)
    lineage.push(next)
    next = next.parentSnapshotId === undefined ? undefined : metadata.findSnapshot(next.parentSnapshotId)
  }
  return lineage
}
