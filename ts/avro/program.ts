import { type At, inside, itemsOf, mismatch } from './read.js'
import { type AvroSchema, withoutNull } from './schema.js'

/** How the decoder passes over a value; see `Skip` in crates/manifest. */
export type Skip =
  | 'varint'
  | 'blob'
  | 'text'
  | { readonly fixed: number }
  | { readonly prefixed: number }
  | { readonly union: readonly Skip[] }
  | { readonly record: readonly Skip[] }
  | { readonly array: Skip }
  | { readonly varints: number }
  | { readonly map: Skip }

type Blob = 'text' | 'bytes' | { readonly fixed: number }

interface Pairs {
  readonly keys: readonly number[] | null
  readonly nulls: readonly boolean[]
  readonly skip: Skip
}

/** What the decoder does with a field; see `Op` in crates/manifest. */
export type Op =
  | { readonly skip: Skip }
  | { readonly int: { readonly nulls: readonly boolean[] } }
  | { readonly long: { readonly nulls: readonly boolean[]; readonly narrow: boolean } }
  | { readonly blob: { readonly nulls: readonly boolean[]; readonly value: Blob } }
  | { readonly list: { readonly nulls: readonly boolean[]; readonly narrow: boolean } }
  | { readonly 'long-map': { readonly nulls: readonly boolean[]; readonly narrow: boolean; readonly pairs: Pairs } }
  | { readonly 'blob-map': { readonly nulls: readonly boolean[]; readonly value: Blob; readonly pairs: Pairs } }
  | { readonly present: { readonly nulls: readonly boolean[]; readonly field: string } }
  | { readonly distinct: Skip }

/** Segments of each op, see crates/manifest. */
const SEGMENTS: Readonly<Record<string, number>> = {
  skip: 0,
  present: 0,
  int: 2,
  long: 2,
  blob: 3,
  list: 3,
  'long-map': 4,
  'blob-map': 5,
  distinct: 3,
}

/** The first segment of each column, by the ops that are kept. */
export function segmentsOf<Name extends string>(
  ops: readonly Op[],
  kept: ReadonlyMap<Op, Name>,
): ReadonlyMap<Name, number> {
  const segments = new Map<Name, number>()
  let next = 0
  for (const op of ops) {
    const name = kept.get(op)
    if (name !== undefined) segments.set(name, next)
    next += SEGMENTS[Object.keys(op)[0]!]!
  }
  return segments
}

/** A program as the decoder takes it; `minBytes`: the least bytes of a record, see `AvroContainer.recordBytes`. */
export function programText(ops: readonly Op[], minBytes: number): string {
  return JSON.stringify({ minBytes, ops })
}

/** What is made of a field: its op, or CORRUPT_FILE naming `at` if the writer's type cannot be read so. */
export type CompileOp = (schema: AvroSchema, at: At) => Op

const NEVER_NULL: readonly boolean[] = []

/** A type that may be null, or never is; a union of null and one other. */
function nullable(schema: AvroSchema, at: At): { readonly type: AvroSchema; readonly nulls: readonly boolean[] } {
  if (schema.kind !== 'union') return { type: schema, nulls: NEVER_NULL }
  const type = withoutNull(schema)
  if (type === schema) return mismatch(schema, 'nullable', at)
  return { type, nulls: schema.branches.map((branch) => branch.kind === 'null') }
}

/** A 32-bit integer, or a long whose values fit one: some writers know no ints. */
function requireInt(schema: AvroSchema, at: At): void {
  if (schema.kind !== 'int' && schema.kind !== 'long') mismatch(schema, 'an int', at)
}

/** Whether a type of integers has 32 bits. */
function isNarrow(schema: AvroSchema, at: At): boolean {
  return schema.kind === 'int' || (schema.kind === 'long' ? false : mismatch(schema, 'a long', at))
}

export const int: CompileOp = (schema, at) => {
  requireInt(schema, at)
  return { int: { nulls: NEVER_NULL } }
}

export const optionalInt: CompileOp = (schema, at) => {
  const { type, nulls } = nullable(schema, at)
  requireInt(type, at)
  return { int: { nulls } }
}

export const long: CompileOp = (schema, at) => ({ long: { nulls: NEVER_NULL, narrow: isNarrow(schema, at) } })

export const optionalLong: CompileOp = (schema, at) => {
  const { type, nulls } = nullable(schema, at)
  return { long: { nulls, narrow: isNarrow(type, at) } }
}

export const text: CompileOp = (schema, at) => {
  if (schema.kind !== 'string') mismatch(schema, 'a string', at)
  return { blob: { nulls: NEVER_NULL, value: 'text' } }
}

export const optionalText: CompileOp = (schema, at) => {
  const { type, nulls } = nullable(schema, at)
  if (type.kind !== 'string') mismatch(type, 'a string', at)
  return { blob: { nulls, value: 'text' } }
}

/** A string of which there are few: read once each, by Avro's encoding. */
export const distinctText: CompileOp = (schema, at) => {
  if (schema.kind !== 'string') mismatch(schema, 'a string', at)
  return { distinct: 'blob' }
}

/** Any value, equal ones read once, by Avro's encoding; its texts are UTF-8. */
export const distinct: CompileOp = (schema, at) => ({ distinct: skipOf(schema, at, { checkTexts: true }) })

/** A record whose fields follow; one that is null is CORRUPT_FILE. None where the writer's type is never null. */
export function presentOps(schema: AvroSchema, at: At): { readonly type: AvroSchema; readonly ops: readonly Op[] } {
  const { type, nulls } = nullable(schema, at)
  return { type, ops: nulls.length === 0 ? [] : [{ present: { nulls, field: at.field } }] }
}

export const bytes: CompileOp = (schema, at) => ({ blob: { nulls: NEVER_NULL, value: bytesForm(schema, at) } })

export const optionalBytes: CompileOp = (schema, at) => {
  const { type, nulls } = nullable(schema, at)
  return { blob: { nulls, value: bytesForm(type, at) } }
}

function bytesForm(schema: AvroSchema, at: At): Blob {
  if (schema.kind === 'bytes') return 'bytes'
  return schema.kind === 'fixed' ? { fixed: schema.size } : mismatch(schema, 'bytes', at)
}

export const optionalInts: CompileOp = (schema, at) => {
  const { type, nulls } = nullable(schema, at)
  if (type.kind !== 'array') return mismatch(type, 'an array', at)
  requireInt(itemsOf(type, at), at)
  return { list: { nulls, narrow: true } }
}

export const optionalLongs: CompileOp = (schema, at) => {
  const { type, nulls } = nullable(schema, at)
  if (type.kind !== 'array') return mismatch(type, 'an array', at)
  return { list: { nulls, narrow: isNarrow(itemsOf(type, at), at) } }
}

/** A map from field ids to longs, of which only `keys` are kept if given. */
export function longMap(keys: ReadonlySet<number> | undefined): CompileOp {
  return (schema, at) => {
    const { nulls, value, pairs } = mapOf(schema, at, keys)
    return { 'long-map': { nulls, narrow: isNarrow(value, inside(at, 'value')), pairs } }
  }
}

/** A map from field ids to bytes, of which only `keys` are kept if given. */
export function bytesMap(keys: ReadonlySet<number> | undefined): CompileOp {
  return (schema, at) => {
    const { nulls, value, pairs } = mapOf(schema, at, keys)
    return { 'blob-map': { nulls, value: bytesForm(value, inside(at, 'value')), pairs } }
  }
}

/** A map with int keys, which Avro has as an array of key and value records. */
function mapOf(schema: AvroSchema, at: At, keys: ReadonlySet<number> | undefined) {
  const { type, nulls } = nullable(schema, at)
  if (type.kind !== 'array') return mismatch(type, 'a map (array of key and value)', at)
  const pair = itemsOf(type, at)
  if (pair.kind !== 'record' || pair.fields.length !== 2) return mismatch(pair, 'a record of key and value', at)
  requireInt(pair.fields[0]!.schema, inside(at, 'key'))
  const written = pair.fields[1]!.schema
  const value = nullable(written, inside(at, 'value'))
  const pairs = { keys: keys === undefined ? null : [...keys], nulls: value.nulls, skip: skipOf(written, at) }
  return { nulls, value: value.type, pairs }
}

/** How values are passed over where that is not all the same. */
interface SkipForm {
  /** Fixed values have a length before them. */
  readonly fixedLengths?: boolean
  /** Texts must be UTF-8. */
  readonly checkTexts?: boolean
}

/** How to pass over one value. */
export function skipOf(schema: AvroSchema, at: At, form: SkipForm = {}): Skip {
  switch (schema.kind) {
    case 'null':
      return { fixed: 0 }
    case 'boolean':
      return { fixed: 1 }
    case 'int':
    case 'long':
    case 'enum':
      return 'varint'
    case 'float':
      return { fixed: 4 }
    case 'double':
      return { fixed: 8 }
    case 'bytes':
      return 'blob'
    case 'string':
      return form.checkTexts ? 'text' : 'blob'
    case 'fixed':
      return form.fixedLengths ? { prefixed: schema.size } : { fixed: schema.size }
    case 'union':
      return { union: schema.branches.map((branch) => skipOf(branch, at, form)) }
    case 'record':
      return { record: schema.fields.map((member) => skipOf(member.schema, at, form)) }
    case 'array': {
      const items = itemsOf(schema, at)
      const integers = integersIn(items)
      return integers > 0 ? { varints: integers } : { array: skipOf(items, at, form) }
    }
    case 'map':
      return { map: skipOf(schema.values, at, form) }
  }
}

/** How many integers a value is, if it is nothing else; 0 otherwise. */
function integersIn(schema: AvroSchema): number {
  if (schema.kind === 'int' || schema.kind === 'long') return 1
  if (schema.kind !== 'record') return 0
  const counts = schema.fields.map((member) => integersIn(member.schema))
  return counts.includes(0) ? 0 : counts.reduce((sum, count) => sum + count, 0)
}
