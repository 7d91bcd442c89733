import { LakefoldError } from '../../base/errors.js'
import type { Schema } from '../../types/schema.js'
import { MAIN_BRANCH } from '../metadata/refs.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { TableMetadata } from '../metadata/table-metadata.js'

/** A snapshot chosen by id, ref or time, and whether rows take its schema or the table's current one. */
export interface SnapshotPick {
  readonly snapshotId: bigint
  readonly snapshotSchema: boolean
}

/** By id. @throws LakefoldError UNKNOWN_SNAPSHOT */
export function pickById(metadata: TableMetadata, id: bigint | string | number): SnapshotPick {
  return { snapshotId: metadata.snapshotById(snapshotId(id)).snapshotId, snapshotSchema: true }
}

/**
 * By branch or tag: a tag is read with the schema of its snapshot, a branch with the table's current one.
 * `main` picks nothing. @throws LakefoldError UNKNOWN_REF
 */
export function pickByRef(metadata: TableMetadata, name: string): SnapshotPick | undefined {
  if (name === MAIN_BRANCH) return undefined
  const ref = metadata.refs.get(name)
  if (ref === undefined) throw unknownRef(metadata, name)
  return { snapshotId: ref.snapshotId, snapshotSchema: ref.type === 'tag' }
}

/**
 * The snapshot that was current at a time, by the table's snapshot log: of its entries up to then the latest, on a tie
 * the earlier one in the log. @throws LakefoldError UNKNOWN_SNAPSHOT
 */
export function pickByTime(metadata: TableMetadata, timestampMs: number | bigint | Date): SnapshotPick {
  const at = millis(timestampMs)
  let best: { timestampMs: bigint; snapshotId: bigint } | undefined
  for (const entry of metadata.snapshotLog) {
    if (entry.timestampMs <= at && (best === undefined || entry.timestampMs > best.timestampMs)) best = entry
  }
  if (best === undefined) {
    throw new LakefoldError('UNKNOWN_SNAPSHOT', `${metadata.metadataLocation}: no snapshot is as old as ${at} ms`, {
      context: { file: metadata.metadataLocation, timestampMs: at },
    })
  }
  return pickById(metadata, best.snapshotId)
}

/** The schema that a snapshot was written with; the current one where the snapshot does not say. */
export function schemaOf(metadata: TableMetadata, snapshot: Snapshot): Schema {
  return snapshot.schemaId === undefined ? metadata.currentSchema() : metadata.schemaById(snapshot.schemaId)
}

/** A snapshot id as its number or decimal text. @throws LakefoldError INVALID_ARGUMENT */
export function snapshotId(id: bigint | string | number): bigint {
  if (typeof id === 'bigint') return id
  if (typeof id === 'number' && Number.isSafeInteger(id)) return BigInt(id)
  if (typeof id === 'string' && /^-?\d{1,19}$/.test(id.trim())) return BigInt(id.trim())
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    typeof id === 'number'
      ? `${id} is not an exact snapshot id: give ids beyond 2^53 as bigint or text`
      : `"${String(id)}" is not a snapshot id`,
    { context: { field: 'snapshotId', value: id } },
  )
}

/** UNKNOWN_REF with the names that there are. */
export function unknownRef(metadata: TableMetadata, name: string): LakefoldError {
  const known = [...metadata.refs.keys()]
  return new LakefoldError(
    'UNKNOWN_REF',
    `${metadata.metadataLocation} has no branch or tag "${name}", only ${known.join(', ') || 'none'}`,
    { context: { file: metadata.metadataLocation, ref: name, known } },
  )
}

function millis(at: number | bigint | Date): bigint {
  const ms = at instanceof Date ? at.getTime() : at
  if (typeof ms === 'bigint') return ms
  if (Number.isFinite(ms)) return BigInt(Math.floor(ms))
  throw new LakefoldError('INVALID_ARGUMENT', `${String(at)} is not a time in milliseconds`, {
    context: { field: 'timestampMs', value: at },
  })
}
