import { decodeBound } from '../types/bounds.js'
import { compareValues } from '../types/compare.js'
import type { PrimitiveType, Value } from '../types/types.js'
import { utf8 } from '../types/utf8.js'
import type { BoundLiteral, BoundTerm, FileMetrics } from './node.js'
import { applyTransform } from './transforms/index.js'
import { compareLiteral, type LiteralComparator, literalBytes } from './value-test.js'

/** Java keeps files and manifests for longer `in` lists without looking at bounds; plans agree if we do so too. */
export const MAX_IN_LITERALS = 200

/** A lower and an upper bound; undefined where unknown. */
export interface Range {
  readonly lower: Value | undefined
  readonly upper: Value | undefined
}

const UNKNOWN: Range = { lower: undefined, upper: undefined }
const BINARY: PrimitiveType = { kind: 'binary' }

/** How the bounds of one term are read and compared. */
export interface BoundsReader {
  /** Bounds that cannot be decoded, and both if they are inverted, are unknown; so are `merged` ones that hide others. */
  range(lower: Uint8Array | undefined, upper: Uint8Array | undefined, merged?: boolean): Range
  readonly compare: LiteralComparator
  readonly literals: readonly BoundLiteral[]
  /** Whether both bounds are the same known value. */
  single(range: Range): boolean
}

/** Strings are compared as the UTF-8 bytes that bounds hold. */
const stored = (type: PrimitiveType): PrimitiveType => (type.kind === 'string' ? BINARY : type)

/** The reader for a type whose bounds are stored as they are. */
export function boundsReader(type: PrimitiveType, literals: readonly BoundLiteral[]): BoundsReader {
  return reader(stored(type), literals, decodeRange)
}

/** The reader for a term; its transform, if any, keeps order, so that it maps bounds to bounds. */
export function termBoundsReader(term: BoundTerm, literals: readonly BoundLiteral[]): BoundsReader {
  const { transform, resultType } = term
  const result = resultType as PrimitiveType
  if (transform === undefined) return boundsReader(result, literals)
  const source = term.type as PrimitiveType
  const convert = (value: Value): Value => {
    const transformed = applyTransform(transform, source, value) as Value
    return typeof transformed === 'string' ? utf8(transformed) : transformed
  }
  return reader(stored(result), literals, (_, lower, upper, merged) => {
    const range = decodeRange(source, lower, upper, merged)
    return {
      lower: range.lower === undefined ? undefined : convert(range.lower),
      upper: range.upper === undefined ? undefined : convert(range.upper),
    }
  })
}

/** The bounds of a file's column of a type; how UUIDs were merged is asked only for those. */
export function fileRange(reader: BoundsReader, file: FileMetrics, { fieldId, type }: BoundTerm): Range {
  const merged = type.kind === 'uuid' && file.mergedUuidBounds
  return reader.range(file.lowerBound(fieldId), file.upperBound(fieldId), merged)
}

type Decode = (
  type: PrimitiveType,
  lower: Uint8Array | undefined,
  upper: Uint8Array | undefined,
  merged: boolean,
) => Range

function reader(type: PrimitiveType, literals: readonly BoundLiteral[], decode: Decode): BoundsReader {
  const compare = compareValues(type)
  return {
    range(lower, upper, merged = false) {
      if (lower === undefined && upper === undefined) return UNKNOWN
      const range = decode(type, lower, upper, merged)
      return range.lower !== undefined && range.upper !== undefined && compare(range.lower, range.upper) > 0
        ? UNKNOWN
        : range
    },
    compare: compareLiteral(type),
    literals: literals.map(literalBytes),
    single: (range) =>
      range.lower !== undefined && range.upper !== undefined && compare(range.lower, range.upper) === 0,
  }
}

function decodeRange(
  type: PrimitiveType,
  lower: Uint8Array | undefined,
  upper: Uint8Array | undefined,
  merged: boolean,
): Range {
  const range = {
    lower: lower === undefined ? undefined : decodeBound(type, lower),
    upper: upper === undefined ? undefined : decodeBound(type, upper),
  }
  return type.kind === 'uuid' ? uuidRange(range, merged) : range
}

/**
 * Some writers order UUIDs as two signed longs. Where the sign of the first half matters, their bounds are inverted and
 * so unknown. The sign of the second half only decides among UUIDs of the same first half: where it may hide a smaller
 * or greater one, the bound is moved to cover all of those. A lone bound, and one that was merged from the unsigned
 * bounds of parts by the signed order, hides those of the other sign, unless its own sign is the first in that order.
 */
function uuidRange({ lower, upper }: Range, merged: boolean): Range {
  const [low, high] = [lower as Uint8Array | undefined, upper as Uint8Array | undefined]
  const alone = merged || low === undefined || high === undefined
  if (!alone && Buffer.compare(low.subarray(0, 8), high.subarray(0, 8)) === 0) return { lower, upper }
  const widen = (bound: Uint8Array | undefined, isLower: boolean): Value | undefined => {
    if (bound === undefined || (alone && (bound[0] as number) < 0x80 !== isLower)) return undefined
    return (bound[8] as number) >= 0x80 === isLower ? fillHalf(bound, isLower ? 0 : 0xff) : bound
  }
  return { lower: widen(low, true), upper: widen(high, false) }
}

function fillHalf(bytes: Uint8Array, byte: number): Uint8Array {
  const copy = new Uint8Array(bytes)
  return copy.fill(byte, 8)
}

/** Whether a value lies between the known bounds. */
export function mayContain(reader: BoundsReader, range: Range, literal: BoundLiteral): boolean {
  if (range.lower !== undefined && reader.compare(range.lower, literal) > 0) return false
  return range.upper === undefined || reader.compare(range.upper, literal) >= 0
}

/** Compares a bound, cut to the prefix's length, with the prefix. */
function comparePrefix(bound: Value, prefix: BoundLiteral): number {
  const wanted = prefix.value as Uint8Array
  return Buffer.compare((bound as Uint8Array).subarray(0, wanted.length), wanted)
}

/** Whether values that start with the prefix may lie between the known bounds. */
export function mayStartWith(range: Range, prefix: BoundLiteral): boolean {
  if (range.lower !== undefined && comparePrefix(range.lower, prefix) > 0) return false
  return range.upper === undefined || comparePrefix(range.upper, prefix) >= 0
}

/** Whether every value between the bounds starts with the prefix. */
export function allStartWith(range: Range, prefix: BoundLiteral): boolean {
  const starts = (bound: Value | undefined): boolean =>
    bound !== undefined &&
    (bound as Uint8Array).length >= (prefix.value as Uint8Array).length &&
    comparePrefix(bound, prefix) === 0
  return starts(range.lower) && starts(range.upper)
}
