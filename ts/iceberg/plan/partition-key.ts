import type { PartitionTuple } from '../../types/partition.js'
import type { Value } from '../../types/types.js'

/**
 * A text that is equal for equal partitions of one spec: null equals null, floats go by value with NaN equal to itself
 * and -0.0 apart from 0.0, and a number equals the same value after its type was widened.
 */
export function partitionKey(specId: number, tuple: PartitionTuple): string {
  // The files of a manifest share their tuples.
  if (tuple === last.tuple && specId === last.specId) return last.key
  last = { specId, tuple, key: printKey(specId, tuple) }
  return last.key
}

let last: { readonly specId: number; readonly tuple: PartitionTuple | undefined; readonly key: string } = {
  specId: 0,
  tuple: undefined,
  key: '',
}

function printKey(specId: number, tuple: PartitionTuple): string {
  let key = String(specId)
  for (const value of tuple) key += `|${valueKey(value)}`
  return key
}

function valueKey(value: Value | null): string {
  if (value === null) return 'n'
  if (typeof value === 'string') return `s${value.length}:${value}`
  if (value instanceof Uint8Array)
    return `x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
  return Object.is(value, -0) ? '-0' : String(value)
}
