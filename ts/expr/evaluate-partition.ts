import type { PartitionTuple } from '../types/partition.js'
import type { PartitionExpression } from './node.js'
import { valueTest } from './value-test.js'

/** Compiles a partition expression to a test of one tuple; fields that the tuple lacks count as null. */
export function partitionEvaluator(expression: PartitionExpression): (tuple: PartitionTuple) => boolean {
  switch (expression.op) {
    case 'true':
      return () => true
    case 'false':
      return () => false
    case 'and': {
      const tests = expression.children.map(partitionEvaluator)
      return (tuple) => tests.every((test) => test(tuple))
    }
    case 'or': {
      const tests = expression.children.map(partitionEvaluator)
      return (tuple) => tests.some((test) => test(tuple))
    }
    default: {
      const { index } = expression
      const test = valueTest(expression.op, expression.type, expression.literals)
      return (tuple) => test(tuple[index] ?? null)
    }
  }
}
