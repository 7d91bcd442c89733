import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'
import { LocalFileIO } from '../../io/local.js'
import { FORMAT_TABLE_FILE_FORMAT } from '../metadata/options.js'
import { join } from '../metadata/paths.js'
import { type TableSchema, tableSchemaOf } from '../metadata/schema.js'

/** Marks a format table across copies of the package. */
const BRAND = Symbol.for('lakefold.paimon.format-table')

export type TextFormat = 'csv' | 'json' | 'text'
export type FormatName = 'parquet' | 'orc' | TextFormat

/**
 * A folder of plain files that a catalog gives a schema: no snapshots, no merging.
 *
 * @example
 * ```ts
 * const table = new FormatTable('/lake/db.db/logs', schemaJson)
 * const scan = await TableScan.create(new ScanContextBuilder(table).setPartitionFilter([{ dt: '2024-01-01' }]).finish())
 * ```
 */
export class FormatTable {
  readonly location: string
  readonly schema: TableSchema
  readonly io: FileIO
  readonly format: FormatName

  /** `schema`: the JSON that the catalog hands over. @throws LakefoldError CORRUPT_FILE or UNSUPPORTED naming what is at fault in it */
  constructor(location: string, schema: string | TableSchema, io: FileIO = new LocalFileIO()) {
    if (typeof location !== 'string' || location.trim() === '') {
      throw new LakefoldError('INVALID_ARGUMENT', 'A format table needs a location', { context: { field: 'location' } })
    }
    this.location = join(location)
    this.schema = typeof schema === 'string' ? tableSchemaOf(schema, `the schema of ${location}`) : schema
    this.io = io
    this.format = this.schema.options.get(FORMAT_TABLE_FILE_FORMAT) ?? 'parquet'
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Whether `value` is a format table, also one of another copy of the package. */
  static is(value: unknown): value is FormatTable {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
  }
}
