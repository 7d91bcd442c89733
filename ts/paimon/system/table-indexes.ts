import { Field, Int32, Int64, Struct, type Table, Utf8 } from 'apache-arrow'
import { tableOfCells } from '../../arrow/cells.js'
import { readIndexManifest } from '../metadata/index-manifest.js'
import { listOf, optional, required } from './columns.js'
import { type SystemSource, snapshotOf } from './source.js'
import { rowText } from './value-text.js'

const DV_RANGE = new Struct([
  new Field('f0', new Utf8(), false),
  new Field('f1', new Int32(), false),
  new Field('f2', new Int32(), false),
  new Field('_CARDINALITY', new Int64(), true),
])

const COLUMNS = [
  optional('partition', 'string'),
  required('bucket', 'int'),
  required('index_type', 'string'),
  required('file_name', 'string'),
  required('file_size', 'bigint'),
  required('row_count', 'bigint'),
  listOf('dv_ranges', new Field('element', DV_RANGE, true)),
]

/** The index files of the snapshot. */
export async function tableIndexesTable(source: SystemSource): Promise<Table> {
  const { view, options } = source
  const name = (await snapshotOf(source))?.indexManifest
  if (name === undefined) return tableOfCells(COLUMNS, [])
  const file = view.paths.manifest(name)
  const entries = await readIndexManifest(view.source(options.signal), file)
  const rows = entries.map((entry) => [
    rowText(view.schema.partitionFields, view.partitions.of(entry.partition, file).values),
    entry.bucket,
    entry.indexType,
    entry.fileName,
    entry.fileSize,
    entry.rowCount,
    entry.dvRanges?.map((range) => [range.dataFileName, range.offset, range.length, range.cardinality]),
  ])
  return tableOfCells(COLUMNS, rows)
}
