import { LakefoldError } from '../base/errors.js'
import type { Type, Value } from './types.js'

/** Negative, zero or positive, as for `Array.prototype.sort`. */
export type Comparator = (a: Value, b: Value) => number

/** By `<`: of numbers, bigints and text by code units. */
export function byOrder(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** -0.0 before 0.0; NaN last and equal to itself. */
function byFloat(a: Value, b: Value): number {
  if (a < b) return -1
  if (a > b) return 1
  if (a === b) return a !== 0 ? 0 : (Object.is(a, -0) ? 0 : 1) - (Object.is(b, -0) ? 0 : 1)
  return (Number.isNaN(a) ? 1 : 0) - (Number.isNaN(b) ? 1 : 0)
}

function byBytes(a: Value, b: Value): number {
  return Buffer.compare(a as Uint8Array, b as Uint8Array)
}

/** The order of UTF-8 bytes, which is that of code points: surrogates come after the rest of the first plane. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i)
    let y = b.charCodeAt(i)
    if (x === y) continue
    if (x >= 0xd800 && y >= 0xd800) {
      x += x >= 0xe000 ? -0x800 : 0x2000
      y += y >= 0xe000 ? -0x800 : 0x2000
    }
    return x - y
  }
  return a.length - b.length
}

/**
 * The order of a primitive type's values: false before true, -0.0 before 0.0, NaN last, strings by UTF-8 bytes,
 * uuid, fixed and binary as unsigned bytes. Throws INVALID_ARGUMENT for types without order.
 */
export function compareValues(type: Type): Comparator {
  switch (type.kind) {
    case 'boolean':
    case 'int':
    case 'long':
    case 'decimal':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return byOrder
    case 'float':
    case 'double':
      return byFloat
    case 'string':
      return (a, b) => compareText(a as string, b as string)
    case 'uuid':
    case 'fixed':
    case 'binary':
      return byBytes
    default:
      throw new LakefoldError('INVALID_ARGUMENT', `Values of type ${type.kind} have no order`, {
        context: { type: type.kind },
      })
  }
}
