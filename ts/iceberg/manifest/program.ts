import { type At, corrupt, inside, itemsOf, mismatch } from '../../avro/read.js'
import { type AvroSchema, withoutNull } from '../../avro/schema.js'

/** How the decoder passes over a value; see `Skip` in crates/manifest. */
export type Skip =
  | 'varint'
  | 'blob'
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
  | { readonly distinct: Skip }

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

/** How to pass over one value. `fixedLengths`: fixed values have a length before them. */
export function skipOf(schema: AvroSchema, at: At, fixedLengths = false): Skip {
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
    case 'string':
      return 'blob'
    case 'fixed':
      return fixedLengths ? { prefixed: schema.size } : { fixed: schema.size }
    case 'union':
      return { union: schema.branches.map((branch) => skipOf(branch, at, fixedLengths)) }
    case 'record':
      return { record: schema.fields.map((member) => skipOf(member.schema, at, fixedLengths)) }
    case 'array': {
      const items = itemsOf(schema, at)
      const integers = integersIn(items)
      return integers > 0 ? { varints: integers } : { array: skipOf(items, at, fixedLengths) }
    }
    case 'map':
      return { map: skipOf(schema.values, at, fixedLengths) }
  }
}

/** How many integers a value is, if it is nothing else; 0 otherwise. */
function integersIn(schema: AvroSchema): number {
  if (schema.kind === 'int' || schema.kind === 'long') return 1
  if (schema.kind !== 'record') return 0
  const counts = schema.fields.map((member) => integersIn(member.schema))
  return counts.includes(0) ? 0 : counts.reduce((sum, count) => sum + count, 0)
}

/** A field that is wanted, by its id. */
export interface WantedField<Name extends string> {
  readonly name: Name
  readonly id: number
  readonly compile: CompileOp
  /** Whether the writer may have it as `null` only, which is as good as not having it. */
  readonly optional?: boolean
}

/**
 * The ops of a record's fields in their order; those that are not wanted are passed over.
 *
 * @param found called with the name of each wanted field that the writer has
 * @param nested records whose fields take the place of the record, by field id
 */
export function recordOps<Name extends string>(
  schema: AvroSchema,
  at: At,
  wanted: readonly WantedField<Name>[],
  found: (name: Name, op: Op) => void,
  nested: ReadonlyMap<number, (schema: AvroSchema, at: At) => Op[]> = new Map(),
): Op[] {
  if (schema.kind !== 'record') return mismatch(schema, 'a record', at)
  const seen = new Set<number>()
  return schema.fields.flatMap((member) => {
    const where = inside(at, member.name)
    const entry = wanted.find((want) => want.id === member.id)
    const inner = member.id === undefined ? undefined : nested.get(member.id)
    if (entry === undefined && inner === undefined) return { skip: skipOf(member.schema, where) }
    if (seen.has(member.id!)) throw corrupt(at, `has the field id ${member.id} twice`)
    seen.add(member.id!)
    if (inner !== undefined) return inner(member.schema, where)
    if (entry!.optional === true && member.schema.kind === 'null') return []
    const op = entry!.compile(member.schema, where)
    found(entry!.name, op)
    return op
  })
}
