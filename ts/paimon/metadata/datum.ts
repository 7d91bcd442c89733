import type { Value } from '../../types/types.js'

/** A variant in binary form. */
export interface VariantDatum {
  readonly value: Uint8Array
  readonly metadata: Uint8Array
}

/**
 * A value of any type in memory: primitives as {@link Value} of the shared type, null; arrays and vectors as lists of elements, rows as
 * lists of fields in their order, maps and multisets as lists of [key, value].
 */
export type Datum = Value | null | VariantDatum | readonly Datum[]
