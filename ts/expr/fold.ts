import type { BoundExpression, BoundPredicate, BoundTerm } from './node.js'

/** The bound expression that every row satisfies. */
export const TRUE = Object.freeze({ op: 'true' } as const)
/** The bound expression that no row satisfies. */
export const FALSE = Object.freeze({ op: 'false' } as const)

/** What folding needs to know of a node. */
type Node = { readonly op: string }

interface Folded<T extends Node> {
  readonly op: 'and' | 'or'
  readonly children: readonly T[]
}

/** `and` or `or` of the children with constants absorbed; a single child stands alone. */
export function join<T extends Node>(
  op: 'and' | 'or',
  children: readonly T[],
): T | Folded<T> | typeof TRUE | typeof FALSE {
  const [neutral, absorbing] = op === 'and' ? ['true', 'false'] : ['false', 'true']
  const kept: T[] = []
  for (const child of children) {
    if (child.op === absorbing) return op === 'and' ? FALSE : TRUE
    if (child.op !== neutral) kept.push(child)
  }
  if (kept.length === 0) return op === 'and' ? TRUE : FALSE
  return kept.length === 1 ? (kept[0] as T) : { op, children: kept }
}

/** All of `children`. */
export function allOf(children: readonly BoundExpression[]): BoundExpression {
  return join('and', children)
}

/** Any of `children`. */
export function anyOf(children: readonly BoundExpression[]): BoundExpression {
  return join('or', children)
}

/** The term is not null, folded where it never is. */
export function notNull(term: BoundTerm): BoundExpression {
  return term.required ? TRUE : { op: 'not-null', term, literals: [] }
}

/** The leaves of a bound tree, left to right. */
function* leaves(expression: BoundExpression): Generator<BoundPredicate> {
  const stack: BoundExpression[] = [expression]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    switch (node.op) {
      case 'true':
      case 'false':
        break
      case 'and':
      case 'or':
        for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i] as BoundExpression)
        break
      default:
        yield node
    }
  }
}

/** The ids of the columns that a bound filter looks at. */
export function referencedFieldIds(expression: BoundExpression): Set<number> {
  const ids = new Set<number>()
  for (const leaf of leaves(expression)) ids.add(leaf.term.fieldId)
  return ids
}
