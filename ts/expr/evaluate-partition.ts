import type { PartitionTuple } from '../types/partition.js'
import { compile } from './compile.js'
import type { PartitionExpression } from './node.js'
import { valueTest } from './value-test.js'

/** Compiles a partition expression to a test of one tuple; fields that the tuple lacks count as null. */
export function partitionEvaluator(expression: PartitionExpression): (tuple: PartitionTuple) => boolean {
  return compile(expression, ({ op, index, type, literals }) => {
    const test = valueTest(op, type, literals)
    return (tuple) => test(tuple[index] ?? null)
  })
}
