import { badTransform } from '../../types/transform-text.js'
import type { Type, Value } from '../../types/types.js'

function floorTo(value: bigint, width: bigint): bigint {
  return value - (((value % width) + width) % width)
}

/** The first `count` code points of `text`. */
function firstCodePoints(text: string, count: number): string {
  // A code point has at least one unit: short text needs no walk.
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** The number of code points of `text`. */
export function codePointCount(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i += (text.codePointAt(i) as number) > 0xffff ? 2 : 1) count++
  return count
}

/**
 * `truncate[width]` of a value: numbers rounded down to a multiple (decimals: of the unscaled value), strings to their
 * first code points, binaries to their first bytes. Near the least int or long the result lies below the type's range.
 */
export function truncate(width: number, type: Type, value: Value): Value {
  switch (type.kind) {
    case 'int': {
      const number = value as number
      return number - (((number % width) + width) % width)
    }
    case 'long':
    case 'decimal':
      return floorTo(value as bigint, BigInt(width))
    case 'string':
      return firstCodePoints(value as string, width)
    case 'binary':
      return (value as Uint8Array).subarray(0, width)
    default:
      return badTransform({ kind: 'truncate', width }, type)
  }
}
