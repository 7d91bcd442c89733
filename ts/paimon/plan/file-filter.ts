import {
  CHANGELOG_PRODUCER,
  DATA_EVOLUTION_ENABLED,
  DELETION_VECTORS_ENABLED,
  FILE_INDEX_READ_ENABLED,
  MERGE_ENGINE,
} from '../metadata/options.js'
import { fileIndexTest } from './file-index-pruner.js'
import { type FileSchemas, fileStats } from './file-stats.js'
import { filterGroups } from './group-filter.js'
import type { FileEntry } from './live-entry.js'
import type { Partition } from './partitions.js'
import { onlyOver, type Predicate } from './predicate.js'
import type { ScanMode } from './read-entries.js'
import { withoutRowIds } from './row-id-filter.js'
import { statsTest } from './stats-test.js'

/** How statistics may prune. */
export interface FileFilterOptions {
  readonly mode: ScanMode
  /** Files are read as they are: no row of one hides a row of another. */
  readonly forceValues: boolean
}

type Test = (entry: FileEntry) => boolean

/**
 * Drops the files that cannot hold rows that match, by statistics and embedded indexes. In a primary-key table only where a file that is
 * dropped cannot hold the newer version of a row that stays. The schemas of the files are read before they are dropped.
 */
export class FileFilter {
  /** Whether a file by itself may stay; undefined where no file is looked at by itself. */
  private readonly single: Test | undefined
  private readonly values: Test
  /** Whether entries were looked at early: then all were. */
  private wasEarly = false
  /** The names of files that could not be judged early. */
  private readonly waiting = new Set<string>()

  private readonly predicate: Predicate

  constructor(
    onRows: Predicate,
    private readonly schemas: FileSchemas,
    private readonly how: FileFilterOptions,
  ) {
    const { options } = schemas.current
    const predicate = withoutRowIds(onRows)
    this.predicate = predicate
    this.values = valueTest(predicate, schemas, options.get(FILE_INDEX_READ_ENABLED))
    this.single = predicate.op === 'true' || options.get(DATA_EVOLUTION_ENABLED) ? undefined : this.singleTest()
  }

  /**
   * What may be said of an entry while manifests are read, so that what is dropped in any case is never kept: false for a file that
   * {@link filter} drops. Files whose schema is not read yet, and those whose statistics are broken, wait for the filter, which
   * looks at live ones alone.
   */
  get early(): Test | undefined {
    const { single } = this
    if (single === undefined) return undefined
    return (entry) => {
      this.wasEarly = true
      if (entry.kind === 'DELETE') return true
      try {
        if (this.schemas.has(entry.file.schemaId)) return single(entry)
      } catch {
        // It fails again if the file is live.
      }
      this.waiting.add(entry.file.fileName)
      return true
    }
  }

  filter(entries: readonly FileEntry[]): readonly FileEntry[] {
    const { predicate, schemas, single, values } = this
    if (predicate.op === 'true') return entries
    if (schemas.current.options.get(DATA_EVOLUTION_ENABLED)) return filterGroups(entries, predicate, schemas)
    const singly = single === undefined ? entries : entries.filter((entry) => this.hasPassed(entry) || single(entry))
    if (this.how.mode !== 'all' || !schemas.current.hasPrimaryKey) return singly
    return [...groupByBucket(singly).values()].flatMap((bucket) => wholeBucket(bucket, values, schemas))
  }

  private hasPassed({ file }: FileEntry): boolean {
    return this.wasEarly && (this.waiting.size === 0 || !this.waiting.has(file.fileName))
  }

  private singleTest(): Test | undefined {
    const { predicate, schemas, values } = this
    const { mode, forceValues } = this.how
    const schema = schemas.current
    if (!schema.hasPrimaryKey) return values
    const keyPredicate = onlyOver(predicate, new Set(schema.trimmedPrimaryKeys.map((field) => field.id)))
    const keys = statsTest(keyPredicate)
    const byKey: Test | undefined =
      keyPredicate.op === 'true' ? undefined : (entry) => keys(fileStats(entry, schemas, 'key'))
    if (mode === 'delta') return byKey
    if (mode === 'changelog') {
      const producer = schema.options.get(CHANGELOG_PRODUCER)
      return producer === 'lookup' || producer === 'full-compaction' ? both(byKey, values) : byKey
    }
    return forceValues ? both(byKey, (entry) => entry.file.level === 0 || values(entry)) : byKey
  }
}

function both(first: Test | undefined, second: Test): Test {
  return first === undefined ? second : (entry) => first(entry) && second(entry)
}

function valueTest(predicate: Predicate, schemas: FileSchemas, useIndex: boolean): Test {
  const stats = statsTest(predicate)
  const index = useIndex ? fileIndexTest(predicate, schemas) : () => true
  return (entry) => stats(fileStats(entry, schemas, 'value')) && index(entry)
}

/** Where keys overlap, all files of a bucket that may hold a matching row stay, or none. */
function wholeBucket(bucket: readonly FileEntry[], values: Test, { current }: FileSchemas): readonly FileEntry[] {
  if (isFlat(bucket)) return bucket.filter(values)
  const engine = current.options.get(MERGE_ENGINE)
  const merged = engine === 'partial-update' || engine === 'aggregation'
  // The merged row may match although no row of a file does.
  if (merged && !current.options.get(DELETION_VECTORS_ENABLED)) return bucket
  return bucket.some(values) ? bucket : []
}

/** Whether no key can be in two files: a single file, or one level above the lowest. */
function isFlat(bucket: readonly FileEntry[]): boolean {
  const level = bucket[0]?.file.level
  return bucket.length <= 1 || (level !== 0 && bucket.every(({ file }) => file.level === level))
}

/** Files by partition and bucket, in the order in which they were first met. */
export function groupByBucket(entries: readonly FileEntry[]): Map<string, FileEntry[]> {
  const groups = new Map<string, FileEntry[]>()
  const byPartition = new Map<Partition, Map<number, FileEntry[]>>()
  for (const entry of entries) {
    const { partition, bucket } = entry
    let buckets = byPartition.get(partition)
    if (buckets === undefined) {
      buckets = new Map()
      byPartition.set(partition, buckets)
    }
    let group = buckets.get(bucket)
    if (group === undefined) {
      // Two views of a table have a partition each.
      const key = `${bucket}\0${partition.key}`
      group = groups.get(key) ?? []
      groups.set(key, group)
      buckets.set(bucket, group)
    }
    group.push(entry)
  }
  return groups
}
