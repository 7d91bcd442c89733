import { LakefoldError } from '../../base/errors.js'
import { lineageOf } from '../metadata/lineage.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import { snapshotId, unknownRef } from './pick-snapshot.js'

/** The ends of an incremental scan; both optional. */
export interface SnapshotRange {
  readonly from: { readonly snapshotId: bigint; readonly inclusive: boolean } | undefined
  /** Inclusive. */
  readonly to: bigint | undefined
  /** Where `to` is looked for; its head is `to` if that is not set. */
  readonly branch: string | undefined
}

/** All snapshots that lead to the current one. */
export const WHOLE_LINEAGE: SnapshotRange = Object.freeze({ from: undefined, to: undefined, branch: undefined })

/**
 * An end of a range: a snapshot id, also as decimal text, or the name of a tag.
 * @throws LakefoldError UNKNOWN_REF, INVALID_ARGUMENT for a branch
 */
export function rangeEnd(metadata: TableMetadata, end: bigint | string | number): bigint {
  if (typeof end !== 'string' || /^-?\d+$/.test(end.trim())) return snapshotId(end)
  const ref = metadata.refs.get(end)
  if (ref === undefined) throw unknownRef(metadata, end)
  if (ref.type !== 'tag') {
    throw new LakefoldError('INVALID_ARGUMENT', `"${end}" is a branch: a range ends at a snapshot or tag`, {
      context: { ref: end },
    })
  }
  return ref.snapshotId
}

/**
 * The snapshots of a range, newest first: along parents from `to`, up to `from`.
 *
 * @throws LakefoldError UNKNOWN_SNAPSHOT for a missing end or one that is not on the way, UNKNOWN_REF for the branch
 */
export function snapshotsBetween(metadata: TableMetadata, range: SnapshotRange): readonly Snapshot[] {
  const head = headOf(metadata, range)
  if (head === undefined) return []
  const lineage = lineageOf(metadata, head)
  const { from } = range
  if (from === undefined) return lineage
  const at = lineage.findIndex((snapshot) =>
    from.inclusive ? snapshot.snapshotId === from.snapshotId : snapshot.parentSnapshotId === from.snapshotId,
  )
  if (at < 0) {
    const relation = from.inclusive ? 'is not an ancestor of' : 'is not the parent of an ancestor of'
    throw outOfRange(metadata, from.snapshotId, `snapshot ${from.snapshotId}, where it starts, ${relation} ${head}`)
  }
  return lineage.slice(0, at + 1)
}

function headOf(metadata: TableMetadata, range: SnapshotRange): bigint | undefined {
  const tip = range.branch === undefined ? metadata.currentSnapshotId : branchHead(metadata, range.branch)
  if (range.to === undefined) {
    if (tip !== undefined || range.from === undefined) return tip
    throw new LakefoldError('UNKNOWN_SNAPSHOT', `${metadata.metadataLocation}: the table has no current snapshot`, {
      context: { file: metadata.metadataLocation },
    })
  }
  metadata.snapshotById(range.to)
  if (range.branch !== undefined && tip !== undefined) {
    const onBranch = lineageOf(metadata, tip).some((snapshot) => snapshot.snapshotId === range.to)
    if (!onBranch) {
      throw outOfRange(metadata, range.to, `snapshot ${range.to}, where it ends, is not on branch ${range.branch}`)
    }
  }
  return range.to
}

/** The snapshot that a branch stands at. @throws LakefoldError UNKNOWN_REF, INVALID_ARGUMENT for a tag */
export function branchHead(metadata: TableMetadata, name: string): bigint {
  const ref = metadata.refs.get(name)
  if (ref === undefined) throw unknownRef(metadata, name)
  if (ref.type !== 'branch') {
    throw new LakefoldError('INVALID_ARGUMENT', `"${name}" is a tag, not a branch`, { context: { ref: name } })
  }
  return ref.snapshotId
}

function outOfRange(metadata: TableMetadata, id: bigint, what: string): LakefoldError {
  return new LakefoldError('UNKNOWN_SNAPSHOT', `${metadata.metadataLocation}: no such range: ${what}`, {
    context: { file: metadata.metadataLocation, snapshotId: id },
  })
}
