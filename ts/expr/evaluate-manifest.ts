import {
  allStartWith,
  type BoundsReader,
  boundsReader,
  MAX_IN_LITERALS,
  mayContain,
  mayStartWith,
  type Range,
} from './bounds.js'
import type { BoundLiteral, FieldSummary, PartitionExpression, PartitionPredicate } from './node.js'

type Test = (summaries: readonly FieldSummary[]) => boolean

/**
 * Compiles an inclusive partition expression to a test of a manifest's field summaries: false only if no file of the
 * manifest can match. Summaries that are missing keep the manifest; file counts are the caller's to look at.
 */
export function manifestEvaluator(expression: PartitionExpression): Test {
  switch (expression.op) {
    case 'true':
      return () => true
    case 'false':
      return () => false
    case 'and': {
      const tests = expression.children.map(manifestEvaluator)
      return (summaries) => tests.every((test) => test(summaries))
    }
    case 'or': {
      const tests = expression.children.map(manifestEvaluator)
      return (summaries) => tests.some((test) => test(summaries))
    }
    default: {
      const { index } = expression
      const test = summaryTest(expression)
      return (summaries) => {
        const summary = summaries[index]
        return summary === undefined || test(summary)
      }
    }
  }
}

function summaryTest(predicate: PartitionPredicate): (summary: FieldSummary) => boolean {
  const float = predicate.type.kind === 'float' || predicate.type.kind === 'double'
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

/** Whether values between the bounds may satisfy an operator that compares. */
export function mayMatch(
  predicate: { readonly op: PartitionPredicate['op'] },
  reader: BoundsReader,
): (range: Range) => boolean {
  const { compare, literals } = reader
  const literal = literals[0] as BoundLiteral
  switch (predicate.op) {
    case 'lt':
      return ({ lower }) => lower === undefined || compare(lower, literal) < 0
    case 'lt-eq':
      return ({ lower }) => lower === undefined || compare(lower, literal) <= 0
    case 'gt':
      return ({ upper }) => upper === undefined || compare(upper, literal) > 0
    case 'gt-eq':
      return ({ upper }) => upper === undefined || compare(upper, literal) >= 0
    case 'eq':
      return (range) => mayContain(reader, range, literal)
    case 'in':
      if (literals.length > MAX_IN_LITERALS) return () => true
      return (range) => literals.some((one) => mayContain(reader, range, one))
    case 'not-eq':
    case 'not-in':
      return (range) =>
        range.lower === undefined ||
        !reader.single(range) ||
        !literals.some((one) => compare(range.lower as NonNullable<typeof range.lower>, one) === 0)
    case 'starts-with':
      return (range) => mayStartWith(range, literal)
    case 'not-starts-with':
      return (range) => !allStartWith(range, literal)
    default:
      return () => true
  }
}
