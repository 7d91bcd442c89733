import { LakefoldError } from '../../base/errors.js'
import { Options } from './option.js'
import { BUCKET, IGNORE_DELETE } from './options.js'

/** Options that say how the files were written, so that a reader that takes another value reads wrongly. */
const IMMUTABLE: ReadonlySet<string> = new Set([
  'aggregation.remove-record-on-delete',
  'bucket-function.type',
  'bucket-key',
  'data-evolution.enabled',
  'data-file.path-directory',
  'deletion-vectors.enabled',
  'merge-engine',
  'partial-update.remove-record-on-delete',
  'partial-update.remove-record-on-sequence-group',
  'partition',
  'primary-key',
  'row-tracking.enabled',
  'rowkind.field',
  'sequence.field',
  'type',
])

/**
 * The table's options with those of a scan laid over them. INVALID_ARGUMENT naming the option where a scan changes one that says how the
 * files were written; to repeat the table's own value is no change.
 */
export function overlayOptions(table: Options, dynamic: ReadonlyMap<string, string>): Options {
  if (dynamic.size === 0) return table
  const merged = new Map(table.map)
  for (const [key, value] of dynamic) {
    if (table.map.get(key) !== value) checkMutable(table, key, value)
    merged.set(key, value)
  }
  return new Options(merged, table.source)
}

function checkMutable(table: Options, key: string, value: string): void {
  const old = table.raw(key)
  if (key === BUCKET.key) {
    if (String(table.get(BUCKET)) !== value) refuse(table, key, String(table.get(BUCKET)), value)
  } else if (key === IGNORE_DELETE.key || IGNORE_DELETE.also.includes(key)) {
    // Rows that were ignored when files were merged do not come back; to ignore from now on is lawful.
    if (table.get(IGNORE_DELETE) && IGNORE_DELETE.parse(value) !== true) refuse(table, key, 'true', value)
  } else if (IMMUTABLE.has(key)) {
    refuse(table, key, old, value)
  }
}

function refuse(table: Options, key: string, old: string | undefined, value: string): never {
  const from = old === undefined ? '' : ` from "${old}"`
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    `${table.source}: option "${key}" cannot be changed${from} to "${value}": the files were written with it`,
    { context: { file: table.source, option: key, value, current: old } },
  )
}
