import type { Transform } from '../../types/partition.js'
import { badTransform } from '../../types/transform-text.js'
import type { Type, Value } from '../../types/types.js'
import { bucket } from './bucket.js'
import { TIME_TRANSFORMS } from './time.js'
import { truncate } from './truncate.js'

/**
 * A transform's value (Iceberg spec, "Partition Transforms"), null for null and for `void`. The transform must suit
 * the type, see `transformResultType`; an unknown one throws INTERNAL.
 */
export function applyTransform(transform: Transform, sourceType: Type, value: Value | null): Value | null {
  if (value === null) return null
  switch (transform.kind) {
    case 'identity':
      return value
    case 'bucket':
      return bucket(transform.count, sourceType, value)
    case 'truncate':
      return truncate(transform.width, sourceType, value)
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
      return TIME_TRANSFORMS[transform.kind](sourceType, value)
    case 'void':
      return null
    case 'unknown':
      return badTransform(transform, sourceType)
  }
}

/** Whether a transform keeps the order of its source's values. */
export function keepsOrder(transform: Transform): boolean {
  return transform.kind !== 'bucket' && transform.kind !== 'void' && transform.kind !== 'unknown'
}
