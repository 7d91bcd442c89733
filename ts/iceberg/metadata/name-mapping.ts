import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'

/** A field of a name mapping (Iceberg spec, "Column Projection"): files without field ids find their ids by these names. */
export interface MappedField {
  /** All names count; a dot in a name is literal. Children of lists and maps are `element`, `key` and `value`. */
  readonly names: readonly string[]
  /** Undefined: the mapping hides the column. */
  readonly fieldId: number | undefined
  readonly fields: readonly MappedField[]
}

export type NameMapping = readonly MappedField[]

/** The table property that holds the mapping. */
export const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default'

/** Parses the JSON text of the property; CORRUPT_FILE naming `file`. */
export function parseNameMapping(text: string, file: string): NameMapping {
  const where = `${file} (property ${NAME_MAPPING_PROPERTY})`
  return mappedFields(new JsonObject({ mapping: parseJson(text, where) }, where), 'mapping')
}

function mappedFields(json: JsonObject, key: string): NameMapping {
  return (json.optObjects(key) ?? []).map((field) => ({
    names: field.optStrings('names') ?? [],
    fieldId: field.optInt('field-id'),
    fields: mappedFields(field, 'fields'),
  }))
}
