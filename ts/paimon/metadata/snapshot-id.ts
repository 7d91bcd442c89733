import { LakefoldError } from '../../base/errors.js'

/** A snapshot id that a caller gave. @throws LakefoldError INVALID_ARGUMENT for what is no integer, or below 1 */
export function snapshotId(id: number | bigint): bigint {
  const whole = typeof id === 'bigint' || Number.isSafeInteger(id)
  if (whole && id >= 1) return BigInt(id)
  throw new LakefoldError('INVALID_ARGUMENT', `${id} is no snapshot id`, {
    context: { field: 'snapshotId', value: id },
  })
}
