import type { JsonObject } from '../../base/json-object.js'

/** A branch or tag (Iceberg spec, "Snapshot References"); ages are in milliseconds. */
export interface SnapshotRef {
  readonly snapshotId: bigint
  readonly type: 'branch' | 'tag'
  readonly minSnapshotsToKeep: number | undefined
  readonly maxSnapshotAgeMs: bigint | undefined
  readonly maxRefAgeMs: bigint | undefined
}

export const MAIN_BRANCH = 'main'

/** The refs by name; where the metadata has none, `main` at the current snapshot. */
export function parseRefs(json: JsonObject, currentSnapshotId: bigint | undefined): ReadonlyMap<string, SnapshotRef> {
  const refs = new Map<string, SnapshotRef>()
  const object = json.optObject('refs')
  for (const name of object?.keys() ?? []) {
    const ref = object!.optObject(name)
    if (ref === undefined) continue
    const type = ref.string('type').toLowerCase()
    if (type !== 'branch' && type !== 'tag') return ref.fail('type', 'must be branch or tag', type)
    refs.set(name, {
      snapshotId: ref.long('snapshot-id'),
      type,
      minSnapshotsToKeep: ref.optInt('min-snapshots-to-keep'),
      maxSnapshotAgeMs: ref.optLong('max-snapshot-age-ms'),
      maxRefAgeMs: ref.optLong('max-ref-age-ms'),
    })
  }
  if (object === undefined && currentSnapshotId !== undefined) {
    refs.set(MAIN_BRANCH, {
      snapshotId: currentSnapshotId,
      type: 'branch',
      minSnapshotsToKeep: undefined,
      maxSnapshotAgeMs: undefined,
      maxRefAgeMs: undefined,
    })
  }
  return refs
}
