import { LakefoldError } from '../../base/errors.js'
import type { BoundExpression } from '../../expr/node.js'
import type { RowSet } from '../file-index/row-set.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import { fileFormat } from '../metadata/file-paths.js'
import { FILE_INDEX_READ_ENABLED } from '../metadata/options.js'
import type { TableSchema } from '../metadata/schema.js'
import type { DataSplit } from '../plan/data-split.js'
import { toBound } from '../plan/exec-predicate.js'
import { askIndex, embeddedName } from '../plan/file-index-pruner.js'
import { type Predicate, referencedIds } from '../plan/predicate.js'
import { withoutRowIds } from '../plan/row-id-filter.js'
import type { TableView } from '../plan/table-view.js'

/** A file below this is read about as fast as its index. */
const LEAST_FILE = 64n * 1024n
/** Rows that lie this close are read together, as skipping what is between costs more. */
const GAP = 256
/** More ranges than this are not told. */
const MOST_RANGES = 1000

/** Positions in a file, both ends inclusive; undefined: all rows. */
export type Positions = readonly (readonly [from: number, to: number])[] | undefined

/** Asks the indexes of files which rows may match, where that spares reading some. */
export class IndexedRows {
  /** The filter; undefined where no index may tell of it. */
  private readonly filter: BoundExpression | undefined

  constructor(
    private readonly view: TableView,
    predicate: Predicate,
  ) {
    const { options, schema } = view
    if (options.get(FILE_INDEX_READ_ENABLED) && mentionsIndexed(predicate, schema))
      this.filter = toBound(withoutRowIds(predicate))
  }

  /** The rows of a file, written with a schema, that may match; none: an empty list. CORRUPT_FILE naming a broken index. */
  async of(split: DataSplit, file: DataFileMeta, schema: TableSchema): Promise<Positions> {
    if (this.filter === undefined || file.fileSize < LEAST_FILE) return undefined
    const found = await this.read(split, file)
    if (found === undefined) return undefined
    const { keep, rows } = askIndex(this.filter, found.bytes, found.name, schema, file)
    if (!keep) return []
    // Only Parquet files are read in parts.
    return rows === undefined || fileFormat(file.fileName) !== 'parquet' ? undefined : worthSkipping(rows)
  }

  private async read(split: DataSplit, file: DataFileMeta): Promise<{ bytes: Uint8Array; name: string } | undefined> {
    if (file.embeddedFileIndex !== undefined)
      return { bytes: file.embeddedFileIndex, name: embeddedName(split.bucketPath, file) }
    const [index, ...more] = file.extraFiles.filter((name) => name.endsWith('.index'))
    if (index === undefined || more.length > 0) return undefined
    const path = split.dataFilePath(file)
    const name = path.slice(0, path.length - file.fileName.length) + index
    try {
      return { bytes: await this.view.io.read(name), name }
    } catch (error) {
      // Rows are the same without it.
      if (LakefoldError.is(error) && error.code === 'FILE_NOT_FOUND') return undefined
      throw error
    }
  }
}

/** Whether a filter looks at a column that the table's options have indexed: older files may have others, which are not worth asking for. */
function mentionsIndexed(predicate: Predicate, { options, fields }: TableSchema): boolean {
  const names = new Set<string>()
  for (const [key, value] of options.map) {
    if (/^file-index\..+\.columns$/.test(key)) for (const name of value.split(',')) names.add(name.trim())
  }
  if (names.size === 0) return false
  const ids = referencedIds(predicate)
  return fields.some(({ id, name }) => ids.has(id) && names.has(name))
}

/** The rows with small gaps closed; undefined where that leaves little to skip. */
function worthSkipping(rows: RowSet): Positions {
  const closed: [number, number][] = []
  let kept = 0
  for (const [start, end] of rows.ranges()) {
    const last = closed.at(-1)
    if (last !== undefined && start - last[1] <= GAP) {
      kept += end - 1 - last[1]
      last[1] = end - 1
    } else {
      kept += end - start
      closed.push([start, end - 1])
    }
  }
  return closed.length > MOST_RANGES || kept * 4 > rows.size * 3 ? undefined : closed
}
