import { isFloat } from '../types/kinds.js'
import { boundsReader, type Range } from './bounds.js'
import { compile } from './compile.js'
import { mayMatch } from './may-match.js'
import type { FieldSummary, PartitionExpression, PartitionPredicate } from './node.js'

type Test = (summaries: readonly FieldSummary[]) => boolean

/**
 * Compiles an inclusive partition expression to a test of a manifest's field summaries: false only if no file of the
 * manifest can match. Summaries that are missing keep the manifest; file counts are the caller's to look at.
 */
export function manifestEvaluator(expression: PartitionExpression): Test {
  return compile(expression, (leaf: PartitionPredicate): Test => {
    const test = summaryTest(leaf)
    return (summaries) => {
      const summary = summaries[leaf.index]
      return summary === undefined || test(summary)
    }
  })
}

function summaryTest(predicate: PartitionPredicate): (summary: FieldSummary) => boolean {
  const float = isFloat(predicate.type)
  const noNan = (summary: FieldSummary): boolean => !float || summary.containsNan === false
  // No lower bound: no value but null and NaN.
  const empty = (summary: FieldSummary): boolean => summary.lowerBound === undefined
  switch (predicate.op) {
    case 'is-null':
      return (summary) => summary.containsNull
    case 'not-null':
      return (summary) => !(summary.containsNull && empty(summary) && noNan(summary))
    case 'is-nan':
      return (summary) => summary.containsNan !== false
    case 'not-nan':
      return (summary) => !(summary.containsNan === true && !summary.containsNull && empty(summary))
    default:
      return boundsTest(predicate, noNan)
  }
}

function boundsTest(
  predicate: PartitionPredicate,
  noNan: (summary: FieldSummary) => boolean,
): (summary: FieldSummary) => boolean {
  const reader = boundsReader(predicate.type, predicate.literals)
  const may = mayMatch(predicate, reader)
  const range = (summary: FieldSummary): Range => reader.range(summary.lowerBound, summary.upperBound)
  switch (predicate.op) {
    case 'not-eq':
    case 'not-in':
      return (summary) => summary.containsNull || !noNan(summary) || may(range(summary))
    case 'not-starts-with':
      return (summary) => summary.containsNull || may(range(summary))
    default:
      return (summary) => {
        if (summary.lowerBound === undefined) {
          // Without null or NaN a missing bound contradicts itself: keep.
          return !summary.containsNull && summary.containsNan !== true
        }
        return may(range(summary))
      }
  }
}
