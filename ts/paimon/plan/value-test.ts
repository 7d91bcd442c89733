import type { BoundLiteral } from '../../expr/node.js'
import { compareLiteral, startsWithBytes } from '../../expr/value-test.js'
import type { PrimitiveType, Value } from '../../types/types.js'
import type { PredicateLeaf } from './predicate.js'

/** Compiles what a leaf says about one value, by Paimon's meaning. */
export function leafTest(leaf: PredicateLeaf): (value: Value | null) => boolean {
  if (leaf.op === 'is-null') return (value) => value === null
  const test = nonNull(leaf)
  return (value) => value !== null && test(value)
}

function nonNull({ op, term, literals }: PredicateLeaf): (value: Value) => boolean {
  if (op === 'is-null') return () => false
  if (op === 'not-null') return () => true
  if (op === 'is-nan') return (value) => Number.isNaN(value)
  if (op === 'not-nan') return (value) => !Number.isNaN(value)
  const type = term.resultType as PrimitiveType
  const literal = literals[0] as BoundLiteral
  switch (op) {
    case 'starts-with':
    case 'not-starts-with':
      return (value) => hasPrefix(value, literal.value) === (op === 'starts-with')
    case 'ends-with':
    case 'not-ends-with':
      return (value) => (value as string).endsWith(literal.value as string) === (op === 'ends-with')
    case 'contains':
    case 'not-contains':
      return (value) => (value as string).includes(literal.value as string) === (op === 'contains')
    case 'like':
    case 'not-like': {
      const pattern = likePattern(literal.value as string)
      return (value) => pattern.test(value as string) === (op === 'like')
    }
  }
  const compare = compareLiteral(type)
  const equal = (value: Value, one: BoundLiteral): boolean => compare(value, one) === 0
  switch (op) {
    case 'eq':
      return (value) => equal(value, literal)
    case 'not-eq':
      return (value) => !equal(value, literal)
    case 'lt':
      return (value) => compare(value, literal) < 0
    case 'lt-eq':
      return (value) => compare(value, literal) <= 0
    case 'gt':
      return (value) => compare(value, literal) > 0
    case 'gt-eq':
      return (value) => compare(value, literal) >= 0
    case 'in':
      return (value) => literals.some((one) => equal(value, one))
    case 'not-in':
      return (value) => !literals.some((one) => equal(value, one))
  }
}

function hasPrefix(value: Value, prefix: Value): boolean {
  return typeof prefix === 'string'
    ? (value as string).startsWith(prefix)
    : startsWithBytes(value as Uint8Array, prefix as Uint8Array)
}

/** SQL's LIKE as a pattern: `%` any text, `_` one character, a backslash takes the meaning off what follows. */
function likePattern(like: string): RegExp {
  let source = ''
  const characters = [...like]
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string
    if (character === '%') source += '.*'
    else if (character === '_') source += '.'
    else source += quoted(character === '\\' && i + 1 < characters.length ? (characters[++i] as string) : character)
  }
  return new RegExp(`^${source}$`, 'su')
}

function quoted(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character
}
