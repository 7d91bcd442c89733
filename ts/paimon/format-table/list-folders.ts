import { throwIfAborted } from '../../base/abort.js'
import type { Datum } from '../metadata/datum.js'
import { FORMAT_TABLE_PATH_ONLY_VALUE, PARTITION_DEFAULT_NAME } from '../metadata/options.js'
import { parsePartitionValue } from '../metadata/partition-filter.js'
import { unescapePathName } from '../metadata/partition-path.js'
import { ifThere, join } from '../metadata/paths.js'
import type { FormatTable } from './format-table.js'

/** A folder of a partition. */
export interface PartitionFolder {
  readonly path: string
  readonly values: readonly Datum[]
}

/** A file in a partition's folder. */
export interface ListedFile {
  readonly path: string
  readonly size: number
}

/** Deeper folders are no data. */
const MAX_DEPTH = 32
/** Where a catalog keeps the schema beside the data. */
const SCHEMA_FOLDER = 'schema'

/** The folders of all partitions that `wants` wants, in the order of their names; the table's own where it has no partitions. */
export async function* partitionFolders(
  table: FormatTable,
  wants: (values: readonly Datum[]) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<PartitionFolder> {
  const { partitionFields, options } = table.schema
  const defaultName = options.get(PARTITION_DEFAULT_NAME)
  const valueOnly = options.get(FORMAT_TABLE_PATH_ONLY_VALUE)
  async function* walk(path: string, values: readonly Datum[]): AsyncGenerator<PartitionFolder> {
    throwIfAborted(signal)
    const field = partitionFields[values.length]
    if (field === undefined) {
      if (wants(values)) yield { path, values }
      return
    }
    for (const name of (await ifThere(table.io.list(path))) ?? []) {
      const text = valueOnly ? name : name.startsWith(`${field.name}=`) ? name.slice(field.name.length + 1) : undefined
      if (text === undefined || (valueOnly && isHidden(name, defaultName))) continue
      if (valueOnly && values.length === 0 && name === SCHEMA_FOLDER) continue
      const child = join(path, name)
      // Only a folder can be listed.
      if ((await ifThere(table.io.list(child))) === undefined) continue
      const plain = unescapePathName(text)
      yield* walk(child, [...values, plain === defaultName ? null : parsePartitionValue(plain, field)])
    }
  }
  yield* walk(table.location, [])
}

/** The files in a folder and those below it, in the order of their names; hidden ones are left out. */
export async function* filesBelow(
  table: FormatTable,
  folder: string,
  signal?: AbortSignal,
  depth = 0,
): AsyncGenerator<ListedFile> {
  throwIfAborted(signal)
  for (const name of (await ifThere(table.io.list(folder))) ?? []) {
    if (isHidden(name, undefined) || (depth === 0 && folder === table.location && name === SCHEMA_FOLDER)) continue
    const path = join(folder, name)
    const isFolder = depth < MAX_DEPTH && (await ifThere(table.io.list(path))) !== undefined
    if (isFolder) yield* filesBelow(table, path, signal, depth + 1)
    else yield { path, size: await table.io.size(path) }
  }
}

/** Names that writers give to what is not finished, and to markers. */
function isHidden(name: string, defaultName: string | undefined): boolean {
  return name !== defaultName && (name.startsWith('_') || name.startsWith('.'))
}
