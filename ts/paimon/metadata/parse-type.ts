import { JsonObject } from '../../base/json-object.js'
import type { JsonValue } from '../../types/types.js'
import { corruptAt, type Place, placedError } from './errors.js'
import { TypeTextParser } from './type-text.js'
import type { PaimonField, PaimonType } from './types.js'

/** Deepest nesting that is read; each level of JSON is a few of ours. */
const MAX_DEPTH = 64

/**
 * Reads a data type of a schema file: a string for atomic types (also the older suffix forms such as `INT ARRAY`), an object for nested
 * ones. Throws UNSUPPORTED for a type that is not known and CORRUPT_FILE for one that is not well formed, each naming file, field and type.
 */
export function parseType(json: JsonValue, place: Place): PaimonType {
  return parse(json, place, 0)
}

function parse(json: JsonValue, place: Place, depth: number): PaimonType {
  if (depth > MAX_DEPTH) corruptAt(place, `has a type nested deeper than ${MAX_DEPTH} levels`)
  if (typeof json === 'string') return new TypeTextParser(json, place).parse()
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return corruptAt(place, 'has a type that is neither a string nor an object', json)
  }
  const object = new JsonObject(json, place.file, place.field)
  const text = object.string('type')
  const match = /^\s*([A-Z]+)\s*(NOT\s+NULL|NULL)?\s*$/i.exec(text)
  const nullable = !/^not/i.test(match?.[2] ?? '')
  const child = (key: string): PaimonType =>
    parse(object.get(key), { file: place.file, field: object.child(key) }, depth + 1)
  switch (match?.[1]?.toUpperCase()) {
    case 'ARRAY':
      return { kind: 'array', nullable, element: child('element') }
    case 'MULTISET':
      return { kind: 'multiset', nullable, element: child('element') }
    case 'MAP':
      return { kind: 'map', nullable, key: child('key'), value: child('value') }
    case 'VECTOR':
      return { kind: 'vector', nullable, element: child('element'), length: positive(object.int('length'), place) }
    case 'ROW':
      return { kind: 'row', nullable, fields: parseFields(object, depth + 1) }
    default:
      // Java writes some newer atomic types as objects with a type only.
      if (object.keys().length === 1) return new TypeTextParser(text, place).parse()
      throw placedError('UNSUPPORTED', place, `has the type "${text}", which is not supported`, text)
  }
}

function positive(length: number, place: Place): number {
  return length > 0 ? length : corruptAt(place, `has a vector of length ${length}`, length)
}

/** Reads the `fields` of a schema or of a ROW; a field id or name that stands twice is CORRUPT_FILE. */
export function parseFields(parent: JsonObject, depth = 0): readonly PaimonField[] {
  const names = new Set<string>()
  const ids = new Set<number>()
  return parent.objects('fields').map((json) => {
    const name = json.string('name')
    const id = json.int('id')
    if (names.has(name)) json.fail('name', 'stands twice', name)
    if (ids.has(id)) json.fail('id', 'stands twice', id)
    names.add(name)
    ids.add(id)
    const description = json.optString('description')
    const defaultValue = json.optString('defaultValue')
    return {
      id,
      name,
      type: parse(json.get('type'), { file: json.file, field: `${json.child('type')} (column "${name}")` }, depth),
      ...(description === undefined ? {} : { description }),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    }
  })
}
