import { join, type TRUE } from '../../expr/fold.js'
import type { BoundLiteral, BoundTerm, PredicateOp, TextOp } from '../../expr/node.js'

/**
 * A bound filter with Paimon's meaning: null satisfies `is-null` and no other operator (negative ones neither), NaN equals itself and is
 * above all numbers, -0.0 is below 0.0.
 */
export type Predicate =
  | { readonly op: 'true' | 'false' }
  | { readonly op: 'and' | 'or'; readonly children: readonly Predicate[] }
  | PredicateLeaf

/** A test of one column. NaN may be a literal. */
export interface PredicateLeaf {
  readonly op: PredicateOp | TextOp
  readonly term: BoundTerm
  readonly literals: readonly BoundLiteral[]
}

/** All of `children`. */
export function allOf(children: readonly Predicate[]): Predicate {
  return join('and', children) as Predicate | typeof TRUE
}

/** Any of `children`. */
export function anyOf(children: readonly Predicate[]): Predicate {
  return join('or', children) as Predicate | typeof TRUE
}

/** The parts that must all hold, with nested ones taken apart. */
export function conjuncts(predicate: Predicate): readonly Predicate[] {
  if (predicate.op === 'true') return []
  return predicate.op === 'and'
    ? (predicate as { children: readonly Predicate[] }).children.flatMap(conjuncts)
    : [predicate]
}

/** Narrows to a leaf. */
export function isLeaf(predicate: Predicate): predicate is PredicateLeaf {
  return 'term' in predicate
}

/** The ids of the columns that a filter looks at. */
export function referencedIds(predicate: Predicate, into = new Set<number>()): Set<number> {
  if (isLeaf(predicate)) into.add(predicate.term.fieldId)
  else if ('children' in predicate) for (const child of predicate.children) referencedIds(child, into)
  return into
}

/** What a filter says of these columns alone, whatever the others are: each conjunct without what looks at others, if that leaves any. */
export function onlyOver(predicate: Predicate, ids: ReadonlySet<number>): Predicate {
  return allOf(conjuncts(predicate).flatMap((part) => within(part, ids) ?? []))
}

function within(predicate: Predicate, ids: ReadonlySet<number>): Predicate | undefined {
  if (isLeaf(predicate)) return ids.has(predicate.term.fieldId) ? predicate : undefined
  if (!('children' in predicate)) return predicate
  const known = predicate.children.flatMap((child) => within(child, ids) ?? [])
  if (predicate.op === 'or') return known.length === predicate.children.length ? anyOf(known) : undefined
  return known.length === 0 ? undefined : allOf(known)
}

/** The conjuncts that look at other columns too: what partitions alone do not decide. */
export function notOnlyOver(predicate: Predicate, ids: ReadonlySet<number>): Predicate {
  return allOf(conjuncts(predicate).filter((part) => ![...referencedIds(part)].every((id) => ids.has(id))))
}
