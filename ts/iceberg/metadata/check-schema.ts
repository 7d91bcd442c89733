import { LakefoldError } from '../../base/errors.js'
import { childFields, type Schema } from '../../types/schema.js'
import type { NestedField } from '../../types/types.js'

const checked = new WeakSet<Schema>()

/**
 * Checks, once a schema, that each field id is there once, and each name once in its struct: else a column would be
 * read in the place of another.
 *
 * @throws LakefoldError CORRUPT_FILE naming the file, schema and field
 */
export function checkSchema(schema: Schema, file: string): Schema {
  if (checked.has(schema)) return schema
  const ids = new Map<number, string>()
  const visit = (fields: readonly NestedField[], parent: string) => {
    const names = new Set<string>()
    for (const field of fields) {
      const name = parent === '' ? field.name : `${parent}.${field.name}`
      const other = ids.get(field.id)
      if (other !== undefined) fail(schema, file, name, field.id, `has the id ${field.id} of field "${other}"`)
      if (names.has(field.name)) fail(schema, file, name, field.id, 'is there twice')
      ids.set(field.id, name)
      names.add(field.name)
      visit(childFields(field.type), name)
    }
  }
  visit(schema.fields, '')
  checked.add(schema)
  return schema
}

function fail(schema: Schema, file: string, name: string, value: number, what: string): never {
  throw new LakefoldError('CORRUPT_FILE', `${file}: in schema ${schema.schemaId}, field "${name}" ${what}`, {
    context: { file, schemaId: schema.schemaId, field: name, value },
  })
}
