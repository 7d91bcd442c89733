/** What compiling needs to know of a node: constants, `and` and `or` of nodes, else a leaf. */
type Node = { readonly op: string }

/** The leaves of a tree of nodes. */
export type LeafOf<N extends Node> = Exclude<N, { readonly op: 'true' | 'false' | 'and' | 'or' }>

/** Compiles a tree without `not` to a test of a subject, given what a leaf compiles to. */
export function compile<N extends Node, T>(
  node: N,
  leaf: (leaf: LeafOf<N>) => (subject: T) => boolean,
): (subject: T) => boolean {
  switch (node.op) {
    case 'true':
      return () => true
    case 'false':
      return () => false
    case 'and': {
      const tests = childrenOf(node).map((child) => compile(child, leaf))
      return (subject) => tests.every((test) => test(subject))
    }
    case 'or': {
      const tests = childrenOf(node).map((child) => compile(child, leaf))
      return (subject) => tests.some((test) => test(subject))
    }
    default:
      return leaf(node as LeafOf<N>)
  }
}

function childrenOf<N extends Node>(node: N): readonly N[] {
  return (node as unknown as { readonly children: readonly N[] }).children
}
