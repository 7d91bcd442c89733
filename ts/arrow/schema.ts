import { RecordBatchReader, type Schema } from 'apache-arrow'
import { native } from '../base/native.js'

/**
 * The Arrow schema of batches with a projection, given as a ScanTask has it; each field has its id under the metadata
 * key `PARQUET:field_id`. Columns of strings with the ids in `dictionaries` are such.
 */
export function arrowSchema(projectionJson: string, dictionaries: readonly number[]): Schema {
  return RecordBatchReader.from(native().arrowSchema(projectionJson, dictionaries)).open().schema
}
