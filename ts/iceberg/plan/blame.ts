import type { BoundExpression } from '../../expr/node.js'
import { printFilter } from '../../expr/print.js'

/**
 * Which parts of a filter rule something out: the operands of its outermost `and` that do so alone, else all of it.
 * In the array DSL.
 */
export function blame(filter: BoundExpression, mayMatch: (part: BoundExpression) => boolean): string[] {
  const parts = filter.op === 'and' ? filter.children : [filter]
  const guilty = parts.filter((part) => !mayMatch(part))
  return (guilty.length === 0 ? [filter] : guilty).map((part) => printFilter(part))
}
