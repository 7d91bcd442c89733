import { valueToJson } from '../types/single-value.js'
import type { JsonValue, PrimitiveType } from '../types/types.js'
import { toHex } from '../types/utf8.js'
import type { BoundLiteral, BoundPredicate } from './node.js'

/** JSON text; only quotes, backslashes and control characters are escaped. */
export function quote(text: string): string {
  return JSON.stringify(text)
}

/** The shortest digits that round-trip to the float, with `.0` if there is no fraction. */
function floatText(value: number, kind: 'float' | 'double'): string {
  let text = String(value)
  if (kind === 'float') {
    // The double nearest to a float prints more digits than the float needs.
    for (let digits = 1; digits <= 9; digits++) {
      const shorter = Number(value.toPrecision(digits))
      if (Math.fround(shorter) === value) {
        text = String(shorter)
        break
      }
    }
  }
  if (Object.is(value, -0)) return '-0.0'
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** A literal as single-value JSON; one with more digits than its type keeps its own text. */
export function literalToJson(predicate: BoundPredicate, literal: BoundLiteral): JsonValue {
  if (!literal.exact && literal.text !== undefined) return literal.text
  const type = predicate.term.resultType as PrimitiveType
  // A prefix of a fixed value is shorter than the value.
  return literal.value instanceof Uint8Array && type.kind !== 'uuid'
    ? toHex(literal.value)
    : valueToJson(type, literal.value)
}

/** A literal as the array DSL prints it. */
export function printLiteral(predicate: BoundPredicate, literal: BoundLiteral): string {
  const { kind } = predicate.term.resultType
  if (kind === 'float' || kind === 'double') return floatText(literal.value as number, kind)
  const json = literalToJson(predicate, literal)
  return typeof json === 'string' ? quote(json) : String(json)
}
