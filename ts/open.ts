import { isSignal } from './base/abort.js'
import { LakefoldError } from './base/errors.js'
import { preload } from './base/native.js'
import { findMetadata } from './catalog/filesystem.js'
import { readSettings } from './exec/options.js'
import { loadTableMetadata } from './iceberg/metadata/load.js'
import { IcebergTable } from './iceberg/table.js'
import { LocalFileIO } from './io/local.js'
import { isPaimonTable } from './paimon/format.js'
import type { SystemTable } from './paimon/system/system-table.js'
import type { PaimonTable } from './paimon/table.js'
import { parseTableName } from './paimon/table-name.js'

preload()

/** How to open a table. */
export interface OpenTableOptions {
  /** The table's format; told by its files if it is not given. */
  readonly format?: 'iceberg' | 'paimon'
  /** Settings of object stores. The local file system has none. */
  readonly storage?: Readonly<Record<string, string>>
  /**
   * Prefixes of locations as the metadata spells them, and what is opened in their place: for tables that were moved
   * or copied. `file:/x`, `file:///x` and `/x` are one. Plans keep reporting the locations that the metadata holds.
   */
  readonly rewriteLocations?: Readonly<Record<string, string>>
  /** Workers of reads that do not say how many. */
  readonly numWorkers?: number
  /** Cancels the opening. */
  readonly signal?: AbortSignal
}

/**
 * Opens a table: an Iceberg table's folder (`version-hint.text`, or else the highest metadata version) or one of its
 * metadata files (`*.metadata.json`, also gzip); or a Paimon table's folder, a branch of it as `t$branch_b`, or one of
 * its system tables as `t$files` or `t$branch_b$files`; a plain path or a `file:` URL.
 *
 * @example
 * ```ts
 * const table = await openTable('/data/events', { rewriteLocations: { 's3://lake': '/mnt/lake' } })
 * ```
 * @throws LakefoldError FILE_NOT_FOUND if there is no table, CORRUPT_FILE naming the file and field, UNSUPPORTED for
 *   another format or storage
 */
export async function openTable(
  location: `${string}$${string}`,
  options?: OpenTableOptions,
): Promise<IcebergTable | PaimonTable | SystemTable>
export async function openTable(
  location: string,
  options: OpenTableOptions & { readonly format: 'paimon' },
): Promise<PaimonTable>
export async function openTable(
  location: string,
  options: OpenTableOptions & { readonly format: 'iceberg' },
): Promise<IcebergTable>
export async function openTable(location: string, options?: OpenTableOptions): Promise<IcebergTable | PaimonTable>
export async function openTable(
  location: string,
  options: OpenTableOptions = {},
): Promise<IcebergTable | PaimonTable | SystemTable> {
  if (typeof location !== 'string' || location === '') {
    throw new LakefoldError('INVALID_ARGUMENT', 'openTable() needs the location of a table', {
      context: { field: 'location', value: location },
    })
  }
  checkOptions(options)
  const { signal, numWorkers } = options
  const io = new LocalFileIO({ rewriteLocations: options.rewriteLocations })
  const name = options.format === 'iceberg' ? { location } : parseTableName(location)
  if (options.format === 'paimon' || (options.format === undefined && (await isPaimonTable(io, name.location)))) {
    const { PaimonTable } = await import('./paimon/table.js')
    const table = await PaimonTable.open(name.location, { io, numWorkers, branch: name.branch })
    return name.systemTable === undefined ? table : table.system(name.systemTable)
  }
  const load = async (stop?: AbortSignal) => {
    const file = await findMetadata(io, location, { signal: stop })
    return loadTableMetadata(io, file, { signal: stop })
  }
  return new IcebergTable(await load(signal), { io, reload: () => load(), numWorkers })
}

/** @throws LakefoldError INVALID_ARGUMENT naming the option at fault */
function checkOptions(options: OpenTableOptions): void {
  const wrong = (field: string, wanted: string, value: unknown) =>
    new LakefoldError('INVALID_ARGUMENT', `openTable(): ${field} must be ${wanted}, got ${String(value)}`, {
      context: { field, value },
    })
  if (typeof options !== 'object' || options === null) throw wrong('options', 'an object', options)
  const { format, signal, numWorkers } = options
  if (format !== undefined && format !== 'iceberg' && format !== 'paimon') {
    throw wrong('format', '"iceberg" or "paimon"', format)
  }
  if (signal !== undefined && !isSignal(signal)) throw wrong('signal', 'an AbortSignal', signal)
  if (numWorkers !== undefined) readSettings({ numWorkers })
}
