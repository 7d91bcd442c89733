import { describe, expect, it } from 'vitest'
import { parseSchema, parseType, schemaToJson, typeToJson } from '../../../ts/types/json.js'
import { nearNames } from '../../../ts/types/near-names.js'
import { metadataColumns, RESERVED_IDS, select } from '../../../ts/types/select.js'
import type { JsonValue, Type } from '../../../ts/types/types.js'
import { failure } from '../failure.js'

const json: JsonValue = {
  type: 'struct',
  'schema-id': 3,
  'identifier-field-ids': [1],
  fields: [
    { id: 1, name: 'id', required: true, type: 'long', doc: 'the key' },
    {
      id: 2,
      name: 'st',
      required: false,
      type: {
        type: 'struct',
        fields: [
          { id: 3, name: 'a', required: true, type: 'int', 'initial-default': 5, 'write-default': 6 },
          {
            id: 4,
            name: 'in',
            required: true,
            type: { type: 'struct', fields: [{ id: 5, name: 'b', required: true, type: 'decimal(9, 2)' }] },
          },
          { id: 6, name: 'c', required: false, type: 'string' },
        ],
      },
    },
    {
      id: 7,
      name: 'li',
      required: false,
      type: {
        type: 'list',
        'element-id': 8,
        element: { type: 'struct', fields: [{ id: 9, name: 'x', required: false, type: 'fixed[16]' }] },
        'element-required': true,
      },
    },
    {
      id: 10,
      name: 'm',
      required: false,
      type: { type: 'map', 'key-id': 11, key: 'string', 'value-id': 12, value: 'date', 'value-required': false },
    },
    { id: 13, name: 'st.a', required: false, type: 'uuid' },
  ],
}
const schema = parseSchema(json)

describe('schemas', () => {
  it('survive reading and writing', () => {
    expect(schemaToJson(schema)).toEqual(json)
    expect(schema.schemaId).toBe(3)
    expect(parseSchema({ type: 'struct', fields: [] }).schemaId).toBe(0)
  })

  it('find fields at any depth by id', () => {
    expect(schema.findField(5)?.name).toBe('b')
    expect(schema.columnName(5)).toBe('st.in.b')
    expect(schema.columnName(9)).toBe('li.element.x')
    expect(schema.findField(8)).toMatchObject({ name: 'element', required: true })
    expect(schema.findField(12)).toMatchObject({ name: 'value', required: false, type: { kind: 'date' } })
    expect(schema.findField(99)).toBeUndefined()
  })

  it('find columns by dotted name, whole names first', () => {
    expect(schema.findByName('st.in.b').field.id).toBe(5)
    expect(schema.findByName('st.a').field.id).toBe(13)
    expect(schema.findByName('ST.IN.B', false)).toMatchObject({ name: 'st.in.b' })
  })

  it('know whether a column may be null through its parents', () => {
    expect(schema.findByName('st.in.b').required).toBe(false)
    expect(schema.findByName('id').required).toBe(true)
  })

  it('refuse paths through lists and maps, and unknown names with near ones', () => {
    expect(failure(() => schema.findByName('li.element.x')).code).toBe('UNKNOWN_COLUMN')
    expect(failure(() => schema.findByName('m.key')).code).toBe('UNKNOWN_COLUMN')
    expect(failure(() => schema.findByName('st.in.bb')).context.suggestions).toContain('st.in.b')
    expect(failure(() => schema.findByName('ID')).context.suggestions).toContain('id')
  })

  it('with an id twice are corrupt', () => {
    const twice = parseSchema({
      fields: [
        { id: 1, name: 'a', required: true, type: 'int' },
        { id: 1, name: 'b', required: true, type: 'int' },
      ],
    })
    expect(failure(() => twice.findField(1)).code).toBe('CORRUPT_FILE')
  })
})

describe('types', () => {
  it.each([
    ['decimal(9,2)', 'decimal(9, 2)'],
    ['decimal( 38 , 38 )', 'decimal(38, 38)'],
    [' fixed[ 16 ] ', 'fixed[16]'],
    ['timestamptz_ns', 'timestamptz_ns'],
    ['unknown', 'unknown'],
    ['variant', 'variant'],
    ['geometry', 'geometry'],
    ['geometry(srid:3857)', 'geometry(srid:3857)'],
    ['geography(OGC:CRS84, karney)', 'geography(OGC:CRS84, karney)'],
  ])('%s is read, and written %s', (text, canonical) => {
    expect(typeToJson(parseType(text))).toBe(canonical)
  })

  it.each<[JsonValue, string, string]>([
    ['int128', 'UNSUPPORTED', 'int128'],
    [{ type: 'tuple' }, 'UNSUPPORTED', 'tuple'],
    ['decimal(39,2)', 'CORRUPT_FILE', 'decimal(39,2)'],
    ['decimal(9,10)', 'CORRUPT_FILE', 'decimal(9,10)'],
    ['fixed[99999999999]', 'UNSUPPORTED', 'fixed'],
    [5, 'CORRUPT_FILE', 'text or an object'],
    [{ type: 'struct', fields: 5 }, 'CORRUPT_FILE', 'fields'],
    [{ type: 'struct', fields: [{ name: 'a', required: true, type: 'int' }] }, 'CORRUPT_FILE', 'id'],
    [{ type: 'struct', fields: [{ id: 1.5, name: 'a', required: true, type: 'int' }] }, 'CORRUPT_FILE', 'id'],
    [{ type: 'struct', fields: [{ id: 1, name: 'a', type: 'int' }] }, 'CORRUPT_FILE', 'required'],
    [{ type: 'list', element: 'int', 'element-required': true }, 'CORRUPT_FILE', 'element-id'],
  ])('%j is an error that names the file', (type, code, part) => {
    const error = failure(() => parseType(type, { file: 'v3.metadata.json' }))
    expect(error.code).toBe(code)
    expect(error.message).toContain(part)
    expect(error.message).toContain('v3.metadata.json')
    expect(error.context.file).toBe('v3.metadata.json')
  })

  it('nested too deeply are refused', () => {
    let type: JsonValue = 'int'
    for (let i = 0; i < 100_000; i++) type = { type: 'list', 'element-id': i, element: type, 'element-required': true }
    expect(failure(() => parseType(type)).code).toBe('LIMIT_EXCEEDED')
  })
})

describe('select', () => {
  const known = metadataColumns({ partitionType: { kind: 'struct', fields: [] } })
  const names = (columns: string[], caseSensitive = true) =>
    select(schema, columns, { metadataColumns: known, caseSensitive }).map((field) =>
      field.type.kind === 'struct'
        ? `${field.name}(${JSON.stringify(typeToJson(field.type)).match(/"id":\d+/g)})`
        : field.name,
    )

  // As `Schema.select` of iceberg-java 1.12.0, but for the order.
  it.each([
    [['l.element.b'], 'l: list<struct<4>>'],
    [['l.element'], 'l: list<struct<3,4>>'],
    [['m.value.y'], 'm: map<struct<8>,struct<10>>'],
    [['m.value'], 'm: map<struct<8>,struct<9,10>>'],
    [['m.key'], 'm: map<struct<8>,struct<9,10>>'],
    [['m.value.y', 'l.element.a'], 'm: map<struct<8>,struct<10>>; l: list<struct<3>>'],
  ])('enters lists and maps for %j where it may', (columns, expected) => {
    const int = (id: number, name: string) => ({ id, name, required: false, type: 'int' })
    const element = { type: 'struct', fields: [int(3, 'a'), int(4, 'b')] }
    const key = { type: 'struct', fields: [int(8, 'k')] }
    const value = { type: 'struct', fields: [int(9, 'x'), int(10, 'y')] }
    const list = { type: 'list', 'element-id': 2, element, 'element-required': false }
    const map = { type: 'map', 'key-id': 6, key, 'value-id': 7, value, 'value-required': false }
    const fields = [
      { id: 1, name: 'l', required: false, type: list },
      { id: 5, name: 'm', required: false, type: map },
    ]
    const nested = parseSchema({ type: 'struct', fields } as JsonValue)
    const text = (type: Type): string => {
      if (type.kind === 'struct') return `struct<${type.fields.map((field) => field.id)}>`
      if (type.kind === 'list') return `list<${text(type.element)}>`
      return type.kind === 'map' ? `map<${text(type.key)},${text(type.value)}>` : type.kind
    }
    const chosen = select(nested, columns, { entersLists: true })
    expect(chosen.map((field) => `${field.name}: ${text(field.type)}`).join('; ')).toBe(expected)
    expect(failure(() => select(nested, columns)).code).toBe('UNKNOWN_COLUMN')
  })

  it('takes every column if nothing is selected', () => {
    expect(select(schema, undefined)).toBe(schema.fields)
    expect(select(schema, [])).toBe(schema.fields)
  })

  it('keeps the given order, metadata columns included, each name once', () => {
    expect(names(['m', '_pos', 'id', 'm', '_file', '_pos'])).toEqual(['m', '_pos', 'id', '_file'])
    expect(select(schema, ['_row_id'], { metadataColumns: known })[0]?.id).toBe(RESERVED_IDS._row_id)
  })

  it('keeps of a struct the chosen leaves, in the order of the schema', () => {
    expect(names(['st.c', 'id', 'st.in.b'])).toEqual(['st("id":4,"id":5,"id":6)', 'id'])
    expect(names(['st.in.b', 'st'])).toEqual(['st("id":3,"id":4,"id":5,"id":6)'])
    expect(names(['st', 'st.in.b'])).toEqual(['st("id":3,"id":4,"id":5,"id":6)'])
    expect(names(['ST.C'], false)).toEqual(['st("id":6)'])
  })

  it('prefers a column of the schema to a metadata column', () => {
    const own = parseSchema({ fields: [{ id: 1, name: '_pos', required: false, type: 'string' }] })
    expect(select(own, ['_pos'], { metadataColumns: known })[0]?.id).toBe(1)
  })

  it('refuses unknown columns and metadata columns that this scan has not', () => {
    expect(failure(() => names(['nope'])).code).toBe('UNKNOWN_COLUMN')
    expect(failure(() => names(['_change_type'])).code).toBe('UNKNOWN_COLUMN')
    expect(failure(() => select(schema, ['_pos'])).code).toBe('UNKNOWN_COLUMN')
    // A list instead of arguments, as untyped callers pass it.
    expect(failure(() => select(schema, [['id']] as never)).code).toBe('INVALID_ARGUMENT')
    const changelog = metadataColumns({ partitionType: { kind: 'struct', fields: [] }, changelog: true })
    expect(select(schema, ['_change_ordinal'], { metadataColumns: changelog })[0]?.type.kind).toBe('int')
  })
})

it('suggests near names, nearest first', () => {
  expect(nearNames('part_ky', ['part_keys', 'price', 'part_key'])).toEqual(['part_key', 'part_keys'])
  expect(nearNames('x'.repeat(10_000), ['region'])).toEqual([])
})
