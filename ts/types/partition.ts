import type { Value } from './types.js'

/** A transform of the Iceberg spec, "Partition Transforms". `unknown` keeps the text of one that we do not know. */
export type Transform =
  | { readonly kind: 'identity' }
  | { readonly kind: 'bucket'; readonly count: number }
  | { readonly kind: 'truncate'; readonly width: number }
  | { readonly kind: 'year' }
  | { readonly kind: 'month' }
  | { readonly kind: 'day' }
  | { readonly kind: 'hour' }
  | { readonly kind: 'void' }
  | { readonly kind: 'unknown'; readonly text: string }

export interface PartitionField {
  readonly fieldId: number
  readonly name: string
  /** One for all transforms that we know; several make the field opaque (never used to filter). */
  readonly sourceIds: readonly number[]
  readonly transform: Transform
}

export interface PartitionSpec {
  readonly specId: number
  readonly fields: readonly PartitionField[]
}

/** One value per field of the spec, in its order; null where the partition value is null. */
export type PartitionTuple = readonly (Value | null)[]
