import type { At, Compile, Read } from '../../avro/read.js'
import * as avro from '../../avro/read.js'
import type { AvroSchema } from '../../avro/schema.js'
import type { Tap } from '../../avro/tap.js'
import { corruptAt } from './errors.js'

/** A row that a reader of columnar files gives, by column name: numbers, bigints, text, bytes, lists, nested rows, null. */
export type RowObject = Readonly<Record<string, unknown>>

/** How one field of a metadata record is read: from Avro by the writer's schema, or from a row object. */
export interface Codec<T> {
  readonly avro: Compile<T>
  readonly row: (value: unknown, at: At) => T
}

/** A codec and the name that its field has in files. */
export interface Column<T> {
  readonly name: string
  readonly codec: Codec<T>
  /** Whether a writer may not have the field: then its value is undefined. */
  readonly optional: boolean
}

export const int: Codec<number> = {
  avro: avro.int,
  row: (value, at) => {
    const number = typeof value === 'bigint' ? Number(value) : value
    return typeof number === 'number' && (number | 0) === number ? number : wrong(at, 'a 32-bit integer', value)
  },
}

export const long: Codec<bigint> = {
  avro: avro.long,
  row: (value, at) => {
    if (typeof value === 'bigint') return value
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
    return wrong(at, 'a 64-bit integer', value)
  },
}

/** A timestamp in milliseconds; rows give it in microseconds, as they give all timestamps. */
export const millis: Codec<bigint> = {
  avro: avro.long,
  row: (value, at) => long.row(value, at) / 1000n,
}

export const text: Codec<string> = {
  avro: avro.string,
  row: (value, at) => (typeof value === 'string' ? value : wrong(at, 'text', value)),
}

export const bytes: Codec<Uint8Array> = {
  avro: avro.bytes,
  row: (value, at) => (value instanceof Uint8Array ? value : wrong(at, 'bytes', value)),
}

/** Undefined for null. */
export function nullable<T>(codec: Codec<T>): Codec<T | undefined> {
  return {
    avro: avro.optional(codec.avro),
    row: (value, at) => (value === null || value === undefined ? undefined : codec.row(value, at)),
  }
}

export function list<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    avro: avro.list(codec.avro),
    row: (value, at) => {
      if (!Array.isArray(value)) return wrong(at, 'a list', value)
      return value.map((item) => codec.row(item, at))
    },
  }
}

/** A field that every writer has. */
export function column<T>(name: string, codec: Codec<T>): Column<T> {
  return { name, codec, optional: false }
}

/** A field that was added over time or may be null: undefined then. */
export function optional<T>(name: string, codec: Codec<T>): Column<T | undefined> {
  return { name, codec: nullable(codec), optional: true }
}

export type Columns = Readonly<Record<string, Column<unknown>>>
export type RecordOf<C extends Columns> = { readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never }

/** A record by the names of its fields: those not known are skipped, optional ones that are missing are undefined. */
export function record<C extends Columns>(columns: C): Codec<RecordOf<C>> {
  return {
    avro: present((schema, at) => {
      const steps = recordSteps(schema, at, columns)
      return (tap) => {
        const into: Record<string, unknown> = {}
        for (const step of steps) step.run(tap, into)
        return into as RecordOf<C>
      }
    }),
    row: (value, at) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(at, 'a record', value)
      const into: Record<string, unknown> = {}
      for (const [key, { name, codec }] of Object.entries(columns)) {
        const member = Object.hasOwn(value, name) ? (value as RowObject)[name] : undefined
        into[key] = codec.row(member, inside(at, name))
      }
      return into as RecordOf<C>
    },
  }
}

/** What `compile` reads, also where the writer's type is nullable, as 0.8 wrote its records; a null is CORRUPT_FILE. */
export function present<T>(compile: Compile<T>): Compile<T> {
  return (schema, at) => {
    if (schema.kind !== 'union') return compile(schema, at)
    const read = avro.optional(compile)(schema, at)
    return (tap) => read(tap) ?? corruptAt(at, 'is null')
  }
}

/** One field in the writer's order. */
export interface Step {
  /** The writer's name of the field. */
  readonly name: string
  /** Reads the field into the record, or passes over it. */
  readonly run: (tap: Tap, into: Record<string, unknown>) => void
  readonly skip: (tap: Tap) => void
}

/** Compiles a record to a step for each field of the writer's schema that takes bytes; CORRUPT_FILE if one that must be there is not. */
export function recordSteps(schema: AvroSchema, at: At, columns: Columns): readonly Step[] {
  if (schema.kind !== 'record') return avro.mismatch(schema, 'a record', at)
  const left = new Map(Object.entries(columns).map(([key, one]) => [one.name, [key, one] as const]))
  const steps: Step[] = []
  for (const field of schema.fields) {
    const where = inside(at, field.name)
    const skip = avro.compileSkip(field.schema, where) ?? (() => {})
    const wanted = left.get(field.name)
    if (wanted === undefined) {
      steps.push({ name: field.name, run: skip, skip })
      continue
    }
    left.delete(field.name)
    const [key, { codec }] = wanted
    const read: Read<unknown> = codec.avro(field.schema, where)
    steps.push({
      name: field.name,
      skip,
      run: (tap, into) => {
        into[key] = read(tap)
      },
    })
  }
  for (const [name, [, one]] of left) {
    if (!one.optional) corruptAt(at, `lacks the field ${name}`)
  }
  return steps
}

function inside(at: At, name: string): At {
  return { file: at.file, field: at.field === '' ? name : `${at.field}.${name}` }
}

function wrong(at: At, wanted: string, value: unknown): never {
  return corruptAt(at, `must be ${wanted}`, value)
}
