import { RecordBatchReader, type Schema } from 'apache-arrow'
import { stringifyJson } from '../base/json.js'
import { native } from '../base/native.js'
import { fieldToJson } from '../types/json.js'
import type { NestedField } from '../types/types.js'

/** A projection as a ScanTask has it. */
export function projectionJson(projection: readonly NestedField[]): string {
  return stringifyJson(projection.map(fieldToJson))
}

/** The Arrow schema of a projection's batches; each field has its id under the metadata key `PARQUET:field_id`. */
export function arrowSchema(projection: readonly NestedField[], json = projectionJson(projection)): Schema {
  return RecordBatchReader.from(native().arrowSchema(json)).open().schema
}
