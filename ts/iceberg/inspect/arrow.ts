import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int32,
  Int64,
  List,
  Map_,
  Null,
  Struct,
  type Table,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampNanosecond,
  Utf8,
} from 'apache-arrow'
import { type Cell, tableOfCells } from '../../arrow/cells.js'
import type { NestedField, Type } from '../../types/types.js'

export type { Cell } from '../../arrow/cells.js'

/** Rows, one cell per column, as an Arrow table; integers of 64 bits, decimals and times exact. */
export function arrowTable(columns: readonly NestedField[], rows: readonly (readonly Cell[])[]): Table {
  return tableOfCells(columns.map(arrowField), rows)
}

function arrowField(field: NestedField): Field {
  return new Field(field.name, arrowType(field.type), !field.required)
}

function arrowType(type: Type): DataType {
  switch (type.kind) {
    case 'boolean':
      return new Bool()
    case 'int':
      return new Int32()
    case 'long':
      return new Int64()
    case 'float':
      return new Float32()
    case 'double':
      return new Float64()
    case 'decimal':
      return new Decimal(type.scale, type.precision, 128)
    case 'date':
      return new DateDay()
    case 'time':
      return new TimeMicrosecond()
    case 'timestamp':
      return new TimestampMicrosecond()
    case 'timestamptz':
      return new TimestampMicrosecond('UTC')
    case 'timestamp_ns':
      return new TimestampNanosecond()
    case 'timestamptz_ns':
      return new TimestampNanosecond('UTC')
    case 'string':
      return new Utf8()
    case 'uuid':
      return new FixedSizeBinary(16)
    case 'fixed':
      return new FixedSizeBinary(type.length)
    case 'unknown':
      return new Null()
    case 'struct':
      return new Struct(type.fields.map(arrowField))
    case 'list':
      return new List(new Field('element', arrowType(type.element), !type.elementRequired))
    case 'map':
      return new Map_(
        new Field(
          'entries',
          new Struct([
            new Field('key', arrowType(type.key), false),
            new Field('value', arrowType(type.value), !type.valueRequired),
          ]),
          false,
        ) as never,
      )
    default:
      return new Binary()
  }
}
