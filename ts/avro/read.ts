import { LakefoldError } from '../base/errors.js'
import type { AvroContainer } from './container.js'
import { type AvroSchema, minBytes, withoutNull } from './schema.js'
import { Tap } from './tap.js'

/** Reads one value. */
export type Read<T> = (tap: Tap) => T

/** Where in a file's schema a type stands, for errors: the names of the fields down to it. */
export interface At {
  readonly file: string
  readonly field: string
}

/** Makes a reader of one value for the writer's schema of it, or throws CORRUPT_FILE naming `at` if it cannot read that schema. */
export type Compile<T> = (schema: AvroSchema, at: At) => Read<T>

/** A field that is wanted, by its field id. */
export interface Wanted<T> {
  readonly id: number
  readonly compile: Compile<T>
}

export function field<T>(id: number, compile: Compile<T>): Wanted<T> {
  return { id, compile }
}

/** An int, or a long whose values fit one: some writers know no ints. */
export const int: Compile<number> = (schema, at) =>
  schema.kind === 'int' || schema.kind === 'long' ? (tap) => tap.int() : mismatch(schema, 'an int', at)

/** A long, or an int where the writer has one. */
export const long: Compile<bigint> = (schema, at) => {
  if (schema.kind === 'long') return (tap) => tap.long()
  return schema.kind === 'int' ? (tap) => BigInt(tap.int()) : mismatch(schema, 'a long', at)
}

export const boolean: Compile<boolean> = (schema, at) =>
  schema.kind === 'boolean' ? (tap) => tap.boolean() : mismatch(schema, 'a boolean', at)

export const string: Compile<string> = (schema, at) =>
  schema.kind === 'string' ? (tap) => tap.string() : mismatch(schema, 'a string', at)

/** Bytes, of free or fixed length. */
export const bytes: Compile<Uint8Array> = (schema, at) => {
  if (schema.kind === 'bytes') return (tap) => tap.bytes()
  if (schema.kind !== 'fixed') return mismatch(schema, 'bytes', at)
  const { size } = schema
  return (tap) => tap.fixed(size)
}

/** What `compile` reads, or undefined where the value is null. */
export function optional<T>(compile: Compile<T>): Compile<T | undefined> {
  return (schema, at) => {
    if (schema.kind === 'null') return () => undefined
    if (schema.kind !== 'union') return compile(schema, at)
    if (withoutNull(schema) === schema) return mismatch(schema, 'nullable', at)
    const branches = schema.branches.map((b) => (b.kind === 'null' ? () => undefined : compile(b, at)))
    return (tap) => branch(tap, branches)(tap)
  }
}

export function list<T>(compile: Compile<T>): Compile<T[]> {
  return (schema, at) => {
    if (schema.kind !== 'array') return mismatch(schema, 'an array', at)
    const read = compile(itemsOf(schema, at), at)
    return (tap) => {
      const values: T[] = []
      for (let count = tap.blockCount(); count > 0; count = tap.blockCount()) {
        for (let i = 0; i < count; i++) values.push(read(tap))
      }
      return values
    }
  }
}

/** The types of the wanted fields; one that the writer does not have is undefined. */
export type RecordOf<F> = { -readonly [K in keyof F]: (F[K] extends Wanted<infer T> ? T : never) | undefined }

/** A record by the ids of its fields; fields that are not wanted are skipped without being built. */
export function record<F extends Readonly<Record<string, Wanted<unknown>>>>(wanted: F): Compile<RecordOf<F>> {
  const entries = Object.entries(wanted)
  const empty = Object.fromEntries(entries.map(([name]) => [name, undefined])) as RecordOf<F>
  return (schema, at) => {
    if (schema.kind !== 'record') return mismatch(schema, 'a record', at)
    const steps: ((tap: Tap, into: Record<string, unknown>) => void)[] = []
    const seen = new Set<number>()
    for (const member of schema.fields) {
      const entry = entries.find(([, want]) => want.id === member.id)
      const where = inside(at, member.name)
      if (entry !== undefined) {
        if (seen.has(entry[1].id)) throw corrupt(at, `has the field id ${entry[1].id} twice`)
        seen.add(entry[1].id)
        const name = entry[0]
        const read = entry[1].compile(member.schema, where)
        steps.push((tap, into) => {
          into[name] = read(tap)
        })
      } else {
        const skip = compileSkip(member.schema, where)
        if (skip !== undefined) steps.push(skip)
      }
    }
    return (tap) => {
      const into = { ...empty }
      for (const step of steps) step(tap, into)
      return into
    }
  }
}

/** Passes over one value; undefined where it takes no bytes. */
export function compileSkip(schema: AvroSchema, at: At): ((tap: Tap) => void) | undefined {
  switch (schema.kind) {
    case 'null':
      return undefined
    case 'boolean':
      return (tap) => tap.skip(1)
    case 'int':
    case 'long':
    case 'enum':
      return (tap) => tap.skipVarint()
    case 'float':
      return (tap) => tap.skip(4)
    case 'double':
      return (tap) => tap.skip(8)
    case 'bytes':
    case 'string':
      return (tap) => tap.skip(tap.length())
    case 'fixed': {
      const { size } = schema
      return size === 0 ? undefined : (tap) => tap.skip(size)
    }
    case 'union': {
      const branches = schema.branches.map((b) => compileSkip(b, at) ?? (() => {}))
      return (tap) => branch(tap, branches)(tap)
    }
    case 'record': {
      const steps = schema.fields.flatMap((f) => compileSkip(f.schema, at) ?? [])
      if (steps.length === 0) return undefined
      return (tap) => {
        for (const step of steps) step(tap)
      }
    }
    case 'array': {
      const items = itemsOf(schema, at)
      const integers = integersIn(items)
      // Metrics that nobody wants are most of a manifest, and counts most of those.
      if (integers > 0) {
        return (tap) => {
          for (let count = tap.blockCount(); count > 0; count = tap.blockCount()) tap.skipVarints(count * integers)
        }
      }
      return skipBlocks(compileSkip(items, at)!)
    }
    case 'map': {
      const value = compileSkip(schema.values, at)
      return skipBlocks((tap) => {
        tap.skip(tap.length())
        value?.(tap)
      })
    }
  }
}

/** How many integers a value is, if it is nothing else; 0 otherwise. */
function integersIn(schema: AvroSchema): number {
  if (schema.kind === 'int' || schema.kind === 'long') return 1
  if (schema.kind !== 'record') return 0
  const counts = schema.fields.map((member) => integersIn(member.schema))
  return counts.includes(0) ? 0 : counts.reduce((sum, count) => sum + count, 0)
}

function skipBlocks(item: (tap: Tap) => void): (tap: Tap) => void {
  return (tap) => {
    for (let count = tap.blockCount(); count > 0; count = tap.blockCount()) {
      for (let i = 0; i < count; i++) item(tap)
    }
  }
}

function branch<T>(tap: Tap, branches: readonly T[]): T {
  const index = tap.int()
  return branches[index] ?? tap.fail(`a union has ${branches.length} types, the value names number ${index}`)
}

/** Items that take no bytes would let a count cost time that the file does not pay for. */
export function itemsOf(schema: AvroSchema & { kind: 'array' }, at: At): AvroSchema {
  if (minBytes(schema.items) === 0) throw corrupt(at, 'is an array of items without bytes')
  return schema.items
}

/** Throws CORRUPT_FILE: the writer's schema has another type there. */
export function mismatch(schema: AvroSchema, wanted: string, at: At): never {
  throw corrupt(at, `must be ${wanted}, its Avro type is ${schema.kind}`)
}

/** One level further down. */
export function inside(at: At, name: string): At {
  return { file: at.file, field: at.field === '' ? name : `${at.field}.${name}` }
}

/** CORRUPT_FILE: what is wrong with the writer's schema there. */
export function corrupt({ file, field: name }: At, what: string): LakefoldError {
  const where = name === '' ? 'its record' : `its field ${name}`
  return new LakefoldError('CORRUPT_FILE', `${file}: ${where} ${what}`, { context: { file, field: name } })
}

/** Reads all records of a container in order; a block that does not end with its last record is CORRUPT_FILE. */
export function readRecords<T>(container: AvroContainer, compile: Compile<T>, maxBlockBytes?: number): T[] {
  const schema = container.schema()
  const read = compile(schema, { file: container.file, field: '' })
  const records: T[] = []
  for (const { count, data } of container.blocks(schema, maxBlockBytes)) {
    const tap = new Tap(data, container.file)
    for (let i = 0; i < count; i++) records.push(read(tap))
    if (tap.left > 0) tap.fail(`${tap.left} bytes are left after the last record of a block`)
  }
  return records
}
