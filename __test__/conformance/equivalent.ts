import { type Domain, domainOf, type Key, NAN, NULL, type Point } from './domain.js'
import type { Leaf, Tree } from './expression.js'
import { canonical } from './json.js'
import { type Column, findColumn } from './schema.js'

/** More combinations of values than this are not tried; such filters must be equal in form. */
const MOST_COMBINATIONS = 2_000_000

interface Variable {
  readonly domain: Domain
  readonly required: boolean
  readonly keys: Key[]
}

type Compiled = (values: readonly Point[]) => boolean

/**
 * Compares two filters by meaning: undefined if both select the same rows of the schema, else a row that only one selects.
 * Both are evaluated by the rule of rows on every combination of values at and beside their literals.
 */
export function difference(
  left: Tree,
  right: Tree,
  columns: readonly Column[],
  caseSensitive = true,
): string | undefined {
  if (form(left) === form(right)) return undefined
  const variables = new Map<string, Variable>()
  const collect = (tree: Tree): void => {
    if (tree.op === 'not') collect(tree.child)
    else if (tree.op === 'and' || tree.op === 'or') for (const child of tree.children) collect(child)
    else if (tree.op === 'predicate') collectLeaf(tree)
  }
  const collectLeaf = (tree: Leaf): void => {
    const column = findColumn(columns, tree.column, caseSensitive)
    if (column === undefined) throw new Error(`no column ${tree.column}`)
    const name = variableOf(tree)
    const variable = variables.get(name) ?? {
      domain: domainOf(column.type, tree.transform),
      required: column.required && tree.transform === undefined,
      keys: [],
    }
    variables.set(name, variable)
    variable.keys.push(...tree.literals.map((literal) => variable.domain.key(literal)))
  }
  const problem = attempt(() => {
    collect(left)
    collect(right)
  })
  if (problem !== undefined) return problem

  const names = [...variables.keys()]
  const points = [...variables.values()].map((v) => v.domain.points(v.keys).filter((p) => !(v.required && p === NULL)))
  const size = points.reduce((product, p) => product * p.length, 1)
  if (size > MOST_COMBINATIONS) return `not equal in form, and ${size} combinations are too many to try`
  const [a, b] = [compile(left, names, variables), compile(right, names, variables)]
  const values: Point[] = []
  const search = (index: number): boolean => {
    const choices = points[index]
    if (choices === undefined) return a(values) !== b(values)
    return choices.some((choice) => {
      values[index] = choice
      return search(index + 1)
    })
  }
  if (!search(0)) return undefined
  return `they differ where ${names.map((name, i) => `${name} is ${String(values[i])}`).join(', ') || 'nothing is tested'}`
}

function attempt(run: () => void): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const form = (tree: Tree) =>
  canonical(JSON.parse(JSON.stringify(tree, (_, v) => (typeof v === 'bigint' ? `${v}n` : Object.is(v, -0) ? '-0' : v))))
const variableOf = (leaf: Leaf) =>
  leaf.transform === undefined
    ? leaf.column.toLowerCase()
    : `${leaf.transform.toLowerCase()}(${leaf.column.toLowerCase()})`

function compile(tree: Tree, names: readonly string[], variables: ReadonlyMap<string, Variable>): Compiled {
  switch (tree.op) {
    case 'true':
      return () => true
    case 'false':
      return () => false
    case 'and': {
      const parts = tree.children.map((child) => compile(child, names, variables))
      return (values) => parts.every((part) => part(values))
    }
    case 'or': {
      const parts = tree.children.map((child) => compile(child, names, variables))
      return (values) => parts.some((part) => part(values))
    }
    case 'not':
      return compile(negate(tree.child), names, variables)
    default: {
      const name = variableOf(tree)
      const index = names.indexOf(name)
      const keys = tree.literals.map((literal) => (variables.get(name) as Variable).domain.key(literal))
      const test = predicate(tree.name, keys)
      return (values) => test(values[index] as Point)
    }
  }
}

const NEGATED: { [name: string]: string } = {
  eq: 'not-eq',
  lt: 'gt-eq',
  gt: 'lt-eq',
  in: 'not-in',
  'is-null': 'not-null',
  'is-nan': 'not-nan',
  'starts-with': 'not-starts-with',
}
for (const [name, other] of Object.entries(NEGATED)) NEGATED[other] = name

/** `not` goes to the leaves, where it becomes the other operator: that is how null satisfies not(eq). */
function negate(tree: Tree): Tree {
  switch (tree.op) {
    case 'true':
      return { op: 'false' }
    case 'false':
      return { op: 'true' }
    case 'not':
      return pushDown(tree.child)
    case 'and':
      return { op: 'or', children: tree.children.map(negate) }
    case 'or':
      return { op: 'and', children: tree.children.map(negate) }
    default:
      return { ...tree, name: NEGATED[tree.name] ?? tree.name }
  }
}

function pushDown(tree: Tree): Tree {
  if (tree.op === 'not') return negate(tree.child)
  if (tree.op === 'and' || tree.op === 'or') return { op: tree.op, children: tree.children.map(pushDown) }
  return tree
}

/** The rule of rows, for one value. */
function predicate(name: string, keys: readonly Key[]): (value: Point) => boolean {
  const key = keys[0] as Key
  const value = (test: (v: Key) => boolean) => (p: Point) => p !== NULL && p !== NAN && test(p as Key)
  switch (name) {
    case 'is-null':
      return (p) => p === NULL
    case 'not-null':
      return (p) => p !== NULL
    case 'is-nan':
      return (p) => p === NAN
    case 'not-nan':
      return (p) => p !== NAN
    case 'lt':
      return value((v) => v < key)
    case 'lt-eq':
      return value((v) => v <= key)
    case 'gt':
      return value((v) => v > key)
    case 'gt-eq':
      return value((v) => v >= key)
    case 'eq':
      return value((v) => v === key)
    case 'not-eq':
      return (p) => p !== key
    case 'in': {
      const set = new Set<Point>(keys)
      return value((v) => set.has(v))
    }
    case 'not-in': {
      const set = new Set<Point>(keys)
      return (p) => !set.has(p)
    }
    case 'starts-with':
      return value((v) => (v as string).startsWith(key as string))
    case 'not-starts-with':
      return (p) => p === NULL || !(p as string).startsWith(key as string)
    default:
      throw new Error(`a predicate that the runner does not know: ${name}`)
  }
}
