import { Field, Int32, Int64, List, TimestampMillisecond, Utf8 } from 'apache-arrow'

type ColumnKind = 'string' | 'int' | 'bigint' | 'timestamp'

const KINDS = {
  string: () => new Utf8(),
  int: () => new Int32(),
  bigint: () => new Int64(),
  // TIMESTAMP(3): a wall clock without a zone.
  timestamp: () => new TimestampMillisecond(),
}

/** A column of a system table that is never null. */
export function required(name: string, kind: ColumnKind): Field {
  return new Field(name, KINDS[kind](), false)
}

/** A column of a system table that may be null. */
export function optional(name: string, kind: ColumnKind): Field {
  return new Field(name, KINDS[kind](), true)
}

/** A column of lists that may be null. */
export function listOf(name: string, element: Field): Field {
  return new Field(name, new List(element), true)
}
