import { LakefoldError } from '../../base/errors.js'
import {
  BUCKET,
  ROW_TRACKING_ENABLED,
  STREAMING_READ_APPEND_OVERWRITE,
  STREAMING_READ_OVERWRITE,
} from '../metadata/options.js'
import { tracksRows } from '../plan/row-id-filter.js'
import type { TableView } from '../plan/table-view.js'

/** INVALID_ARGUMENT naming the option of a table that a scan cannot obey. */
export function checkTable(view: TableView): void {
  const bucket = view.options.get(BUCKET)
  const { hasPrimaryKey } = view.schema
  if (!hasPrimaryKey && view.options.get(STREAMING_READ_OVERWRITE)) {
    throw new LakefoldError(
      'INVALID_ARGUMENT',
      `${view.options.source}: option "${STREAMING_READ_OVERWRITE.key}" needs a primary key; without one it is "${STREAMING_READ_APPEND_OVERWRITE.key}"`,
      { context: { option: STREAMING_READ_OVERWRITE.key, value: true } },
    )
  }
  if (bucket >= 1 || bucket === -1 || (bucket === -2 && hasPrimaryKey)) return
  throw new LakefoldError(
    'INVALID_ARGUMENT',
    `${view.options.source}: option "bucket" is ${bucket}, which is no bucket mode`,
    {
      context: { option: BUCKET.key, value: bucket },
    },
  )
}

/** INVALID_ARGUMENT if the rows of a table have no ids. */
export function checkRowRanges({ paths, schema }: TableView): void {
  if (tracksRows(schema)) return
  throw new LakefoldError('INVALID_ARGUMENT', `${paths.root}: row ranges need a table with row tracking`, {
    context: { field: 'globalIndexResult', option: ROW_TRACKING_ENABLED.key },
  })
}
