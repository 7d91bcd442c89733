import type { PartitionSpec, PartitionTuple } from '../types/partition.js'
import type { Schema } from '../types/schema.js'
import { partitionEvaluator } from './evaluate-partition.js'
import { FALSE, join, TRUE } from './fold.js'
import type { BoundExpression, BoundPredicate } from './node.js'
import { projectLeaf, type Target, targets } from './project.js'

type Residual = (tuple: PartitionTuple) => BoundExpression

/** Tuples remembered; scans come partition by partition, so few are enough. */
const MAX_MEMO = 1024

/**
 * What is left of a filter for the rows of a file with a given partition tuple: leaves that the tuple decides are
 * folded away, at every depth. The function remembers tuples that it has seen.
 */
export function residuals(bound: BoundExpression, spec: PartitionSpec, schema: Schema): Residual {
  const fields = targets(spec, (id) => schema.findField(id)?.type)
  const evaluate = node(bound, fields)
  if (evaluate === undefined) return () => bound
  const memo = new Map<string, BoundExpression>()
  return (tuple) => {
    const key = tuple.map(keyOf).join('|')
    let residual = memo.get(key)
    if (residual === undefined) {
      residual = evaluate(tuple)
      if (memo.size >= MAX_MEMO) memo.clear()
      memo.set(key, residual)
    }
    return residual
  }
}

/** Unequal values never share a key. */
function keyOf(value: PartitionTuple[number]): string {
  if (value === null) return 'n'
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`
  if (typeof value === 'string') return `s${value.length}:${value}`
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Undefined if no tuple changes the expression. */
function node(bound: BoundExpression, fields: ReadonlyMap<number, readonly Target[]>): Residual | undefined {
  switch (bound.op) {
    case 'true':
    case 'false':
      return undefined
    case 'and':
    case 'or': {
      const { op, children } = bound
      const evaluators = children.map((child) => node(child, fields))
      if (evaluators.every((evaluator) => evaluator === undefined)) return undefined
      return (tuple) =>
        join<BoundExpression>(
          op,
          children.map((child, i) => evaluators[i]?.(tuple) ?? child),
        )
    }
    default:
      return leaf(bound, fields.get(bound.term.fieldId) ?? [])
  }
}

function leaf(predicate: BoundPredicate, fields: readonly Target[]): Residual | undefined {
  const strict = projectLeaf(predicate, fields, 'strict')
  const inclusive = projectLeaf(predicate, fields, 'inclusive')
  if (strict.op === 'false' && inclusive.op === 'true') return undefined
  const always = partitionEvaluator(strict)
  const possible = partitionEvaluator(inclusive)
  return (tuple) => (always(tuple) ? TRUE : possible(tuple) ? predicate : FALSE)
}
