import type { Json } from './json.js'

/** A filter tree as both spellings give it, before literals are typed. */
export type Tree =
  | { readonly op: 'true' | 'false' }
  | { readonly op: 'not'; readonly child: Tree }
  | { readonly op: 'and' | 'or'; readonly children: readonly Tree[] }
  | Leaf

export interface Leaf {
  readonly op: 'predicate'
  readonly name: string
  readonly column: string
  /** Canonical text of a transform term, such as `bucket[16]`. */
  readonly transform?: string
  readonly literals: readonly Json[]
}

type Obj = { [key: string]: Json }

/** Iceberg REST Expression JSON, the form of the cases. */
export function fromRest(json: Json): Tree {
  if (typeof json === 'boolean') return { op: json ? 'true' : 'false' }
  const node = json as Obj
  const type = String(node.type)
  if (type === 'and' || type === 'or') {
    return { op: type, children: [fromRest(node.left as Json), fromRest(node.right as Json)] }
  }
  if (type === 'not') return { op: 'not', child: fromRest(node.child as Json) }
  const term = node.term as string | Obj
  const named = typeof term === 'string' ? { column: term } : restTerm(term)
  const literals = 'value' in node ? [node.value as Json] : ((node.values as Json[] | undefined) ?? [])
  return { op: 'predicate', name: type, ...named, literals }
}

function restTerm(term: Obj): { column: string; transform?: string } {
  if (term.type === 'transform') return { column: String(term.term), transform: String(term.transform) }
  return { column: String(term.term) }
}

const DSL_NAMES: { [name: string]: string } = {
  '=': 'eq',
  '!=': 'not-eq',
  '<': 'lt',
  '<=': 'lt-eq',
  '>': 'gt',
  '>=': 'gt-eq',
}

/** The array DSL in its canonical spelling, the form that tasks print. */
export function fromDsl(json: Json): Tree {
  const [head, ...rest] = json as Json[]
  if (head === 'true' || head === 'false') return { op: head }
  if (head === 'not') return { op: 'not', child: fromDsl(rest[0] as Json) }
  if (head === 'and' || head === 'or') return { op: head, children: rest.map(fromDsl) }
  const term = rest[0]
  const named = Array.isArray(term) ? { column: String(term[1]), transform: String(term[0]) } : { column: String(term) }
  const literals = rest.length < 2 ? [] : Array.isArray(rest[1]) ? rest[1] : [rest[1] as Json]
  return { op: 'predicate', name: DSL_NAMES[String(head)] ?? String(head), ...named, literals }
}
