import { type CompileOp, type Op, skipOf } from '../../avro/program.js'
import { type At, corrupt, inside, mismatch } from '../../avro/read.js'
import type { AvroSchema } from '../../avro/schema.js'

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
