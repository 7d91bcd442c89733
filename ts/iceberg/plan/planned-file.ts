import type { BoundExpression } from '../../expr/node.js'
import type { ContentFile } from '../manifest/types.js'

/** What a changelog says about the rows of a file. */
export interface Change {
  readonly type: 'INSERT' | 'DELETE'
  /** Position of the snapshot among those of the scan, oldest first. */
  readonly ordinal: number
  readonly snapshotId: bigint
}

/** A data file that survived planning. */
export interface PlannedFile {
  readonly file: ContentFile
  readonly deletes: readonly ContentFile[]
  readonly residual: BoundExpression
  /** The snapshot that it was planned for; undefined only where a plan is read back. */
  readonly snapshotId: bigint | undefined
  /** Changelog only. */
  readonly change?: Change
  /** Changelog only: just the rows that these hide. */
  readonly onlyDeletedBy?: readonly ContentFile[]
}
