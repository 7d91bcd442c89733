import { RecordBatchReader, type Schema } from 'apache-arrow'
import { stringifyJson } from '../base/json.js'
import { native } from '../base/native.js'
import { fieldToJson } from '../types/json.js'
import type { NestedField } from '../types/types.js'

/** A projection as a ScanTask has it. */
export function projectionJson(projection: readonly NestedField[]): string {
  return stringifyJson(projection.map(fieldToJson))
}

/**
 * The Arrow schema of batches with a projection, given as a ScanTask has it; each field has its id under the metadata
 * key `PARQUET:field_id`. Columns of strings with the ids in `dictionaries` are such.
 */
export function arrowSchema(projectionJson: string, dictionaries: readonly number[]): Schema {
  return RecordBatchReader.from(native().arrowSchema(projectionJson, dictionaries)).open().schema
}
