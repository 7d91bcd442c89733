import type { TableSchema } from '../metadata/schema.js'
import { BucketPruner } from './bucket-pruner.js'
import type { FileSchemas } from './file-stats.js'
import type { FileEntry } from './live-entry.js'
import type { EntryWish } from './read-entries.js'
import type { ScanRequest } from './scan-request.js'
import type { TableView } from './table-view.js'

/** So many schemas are looked at to find out whether all agree about buckets. */
const MAX_SCHEMAS = 64

/** Picks entries by the buckets that the filter of a request derives; an explicit bucket takes the place of derived ones. */
export class BucketSelection {
  private readonly schema: TableSchema
  private readonly pruner: BucketPruner
  private readonly active: boolean
  private agreement: Promise<boolean> | undefined

  constructor(
    private readonly view: TableView,
    request: ScanRequest,
    private readonly schemas: FileSchemas,
  ) {
    this.schema = view.schema
    this.pruner = new BucketPruner(view.schema, request.predicate)
    this.active = request.bucket === undefined && this.pruner.active
  }

  /** The only bucket that can hold matching rows in any partition, where there is just one. */
  single(totalBuckets: number): number | undefined {
    return this.pruner.single(totalBuckets)
  }

  /** A test of the heads of entries, where it says the same for the files of every schema. */
  async ofHeads(): Promise<EntryWish['head']> {
    if (!this.active || !(await this.schemasAgree())) return undefined
    return (partition, bucket, totalBuckets) => this.pruner.buckets(partition, totalBuckets)?.has(bucket) !== false
  }

  /** Drops entries outside the derived buckets, if their schema puts rows into buckets as today's does. */
  async filter(entries: readonly FileEntry[]): Promise<readonly FileEntry[]> {
    if (!this.active) return entries
    const outside = new Set(
      entries.filter((entry) => this.pruner.buckets(entry.partition, entry.totalBuckets)?.has(entry.bucket) === false),
    )
    if (outside.size === 0) return entries
    await this.schemas.load(outside)
    return entries.filter(
      (entry) => !outside.has(entry) || !this.schemas.of(entry.file.schemaId).bucketsLike(this.schema),
    )
  }

  /** Whether every schema that a file may have been written with puts rows into buckets as today's does. */
  schemasAgree(): Promise<boolean> {
    this.agreement ??= (async () => {
      const { schema, view } = this
      if (schema.id === 0) return true
      const ids = await view.schemas.ids()
      if (ids.length > MAX_SCHEMAS || ids.some((id, i) => id !== i)) return false
      const all = await Promise.all(ids.map((id) => view.schemas.byId(id)))
      return all.every((other) => other.bucketsLike(schema))
    })()
    return this.agreement
  }
}
