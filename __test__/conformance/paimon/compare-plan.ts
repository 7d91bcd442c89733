import { canonical } from '../json.js'
import type { CasePlan, CasePredicate, CaseSplit, PaimonCase } from './case.js'
import type { EnginePlan } from './engine.js'

/** How a plan is held. */
export interface PlanRule {
  /** Of the case. */
  readonly check: PaimonCase['planCheck']
  /** What files may be pruned by; undefined where nothing but partitions and buckets can be. */
  readonly predicate: CasePredicate | undefined
}

/** What is wrong with a plan of a case. */
export function comparePlan(expected: CasePlan, actual: EnginePlan, rule: PlanRule): string[] {
  if (rule.check === 'rows-only') return []
  const problems: string[] = []
  if (canonical(expected.snapshotId) !== canonical(actual.snapshotId)) {
    problems.push(`the plan is of snapshot ${actual.snapshotId}, not ${expected.snapshotId}`)
  }
  if (expected.nextSnapshotId !== undefined && expected.nextSnapshotId !== actual.nextSnapshotId) {
    problems.push(`the next snapshot is ${actual.nextSnapshotId}, not ${expected.nextSnapshotId}`)
  }
  const files = compareFiles(expected, actual, rule)
  problems.push(...files.problems)
  if (files.same && problems.length === 0) problems.push(...compareSplits(expected.splits, actual.splits))
  return problems
}

/** Files by where they are, so that one in another bucket is another file; `same` where neither side has more. */
function compareFiles(expected: CasePlan, actual: EnginePlan, { check, predicate }: PlanRule) {
  const [wanted, found] = [fileSet(expected.splits), fileSet(actual.splits)]
  const problems: string[] = []
  const report = (what: string, names: readonly string[]) => {
    if (names.length > 0) problems.push(`${names.length} files ${what}: ${names.slice(0, 3).join(', ')}`)
  }
  const [few, many] = [missing(wanted, found), missing(found, wanted)]
  // By statistics a reader may prune more or less than the reference; its rows are held to be the same.
  if (check !== 'subset' && predicate === undefined) report('too few', few)
  if (check !== 'superset')
    report('too many', predicate === undefined ? many : many.filter(unlawful(expected, predicate)))
  for (const [name, file] of found) {
    const known = wanted.get(name)
    if (known === undefined) continue
    // Members that the case has must be the same; a reader may tell more.
    const differs = Object.keys(known).find((member) => canonical(known[member]) !== canonical(file[member]))
    if (differs !== undefined) {
      problems.push(`${name}: ${differs} is ${canonical(file[differs])}, not ${canonical(known[differs])}`)
    }
  }
  const same = few.length === 0 && many.length === 0
  const [times, wantedTimes] = [fileCount(actual.splits), fileCount(expected.splits)]
  if (same && times !== wantedTimes) problems.push(`${times} files in all splits, not ${wantedTimes}: one stands twice`)
  return { problems, same }
}

/**
 * Whether a file that the reference has not planned is one that pruning by partition or bucket should have left out: the reference reads
 * no file of its bucket, and the filter may pin buckets or partitions.
 */
function unlawful(expected: CasePlan, predicate: CasePredicate): (name: string) => boolean {
  const places = new Set(expected.splits.map(placeOf))
  const pins = mayPin(predicate)
  return (name) =>
    pins && ![...places].some((place) => name.startsWith(`${place} `) || name.startsWith(`before ${place} `))
}

function mayPin(predicate: CasePredicate): boolean {
  if ('args' in predicate) return predicate.args.some(mayPin)
  return ['eq', 'in', 'isNull'].includes(predicate.op)
}

const placeOf = (split: CaseSplit) => `${canonical(split.partition)} bucket ${split.bucket} of ${split.totalBuckets}`

type Keyed = Map<string, { readonly [member: string]: unknown }>

const missing = (from: Keyed, other: Keyed) => [...from.keys()].filter((name) => !other.has(name))

const fileCount = (splits: readonly CaseSplit[]) =>
  splits.reduce((n, split) => n + (split.files?.length ?? 1) + (split.beforeFiles?.length ?? 0), 0)

function fileSet(splits: readonly CaseSplit[]): Keyed {
  const files: Keyed = new Map()
  for (const split of splits) {
    if (split.file !== undefined) {
      files.set(`${split.file}@${split.offset}+${split.length}`, {
        fileSize: split.fileSize,
        partition: split.partition,
      })
    }
    for (const [side, list] of [
      ['', split.files],
      ['before ', split.beforeFiles],
    ] as const) {
      list?.forEach((file, i) => {
        const deletion = side === '' ? { deletion: split.deletionFiles?.[i] ?? null } : {}
        files.set(`${side}${placeOf(split)} level ${file.level} ${file.name}`, { ...file, ...deletion })
      })
    }
  }
  return files
}

/** The splits themselves, in no order: which files, in their order, and what is said of them together. */
function compareSplits(expected: readonly CaseSplit[], actual: readonly CaseSplit[]): string[] {
  const left = new Map<string, CaseSplit[]>()
  for (const split of actual) {
    const key = splitKey(split)
    left.set(key, [...(left.get(key) ?? []), split])
  }
  const problems: string[] = []
  for (const split of expected) {
    const found = left.get(splitKey(split))?.pop()
    if (found === undefined) problems.push(`no split ${splitKey(split).slice(0, 400)}`)
    else problems.push(...SPLIT_MEMBERS.flatMap((name) => memberProblem(name, split, found)))
  }
  const more = [...left.values()].flat()
  return [...problems, ...more.map((split) => `an unknown split ${splitKey(split).slice(0, 400)}`)].slice(0, 5)
}

function splitKey(split: CaseSplit): string {
  if (split.files === undefined) return canonical([split.file ?? null, split.offset ?? null, split.length ?? null])
  const names = (files: CaseSplit['files']) => files?.map((file) => file.name) ?? null
  return canonical([split.partition, split.bucket, names(split.files), names(split.beforeFiles)])
}

const SPLIT_MEMBERS = ['bucketPath', 'rawConvertible', 'rowCount', 'mergedRowCount', 'isStreaming'] as const

/** A row count may be untold where rows must be merged; the cases leave out `isStreaming` where it is false. */
function memberProblem(name: (typeof SPLIT_MEMBERS)[number], expected: CaseSplit, actual: CaseSplit): string[] {
  const wanted = expected[name] ?? (name === 'isStreaming' && expected.rawConvertible !== undefined ? false : undefined)
  const found = actual[name] ?? (name === 'isStreaming' ? false : undefined)
  if (wanted === undefined || (found === undefined && name === 'mergedRowCount')) return []
  if (canonical(wanted) === canonical(found)) return []
  return [`split ${splitKey(expected).slice(0, 200)}: ${name} is ${canonical(found)}, not ${canonical(wanted)}`]
}
