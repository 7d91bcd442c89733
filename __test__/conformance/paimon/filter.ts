import type * as Api from '../../../ts/index.js'
import type { Json } from '../json.js'
import type { Column, ColumnType } from '../schema.js'
import type { CasePredicate } from './case.js'

type Lakefold = typeof Api
type Filter = ReturnType<ReturnType<Lakefold['col']>['isNull']>
type Literal = Parameters<ReturnType<Lakefold['col']>['eq']>[0]

/** A case's predicate in lakefold's builder. */
export function filterOf(api: Lakefold, predicate: CasePredicate, fields: readonly Column[]): Filter {
  if ('args' in predicate) {
    const [first, ...rest] = predicate.args.map((arg) => filterOf(api, arg, fields))
    if (first === undefined) throw new Error(`${predicate.op} of nothing`)
    return rest.reduce((left, right) => (predicate.op === 'and' ? left.and(right) : left.or(right)), first)
  }
  const { op, field } = predicate
  const type = fields.find((known) => known.name === field)?.type
  const column = api.col(field)
  if (op === 'isNull') return column.isNull()
  if (op === 'isNotNull') return column.notNull()
  const given = predicate.values ?? [predicate.value as Json]
  const literals = given.filter((value) => value !== null).map((value) => literal(value, type))
  // A comparison with null matches nothing; lakefold takes no null literal, so that a program has to say so.
  if (literals.length < given.length && op !== 'in') return column.in([])
  const [one, two] = literals as [Literal, Literal]
  switch (op) {
    case 'eq':
      return column.eq(one)
    case 'ne':
      return column.notEq(one)
    case 'lt':
      return column.lt(one)
    case 'le':
      return column.ltEq(one)
    case 'gt':
      return column.gt(one)
    case 'ge':
      return column.gtEq(one)
    case 'in':
      return column.in(literals)
    case 'notIn':
      return column.notIn(literals)
    case 'between':
      return column.between(one, two)
    case 'startsWith':
      return column.startsWith(one as string)
    case 'endsWith':
      return column.endsWith(one as string)
    case 'contains':
      return column.contains(one as string)
    case 'like':
      return column.like(one as string)
    default:
      throw new Error(`an operator that the runner does not know: ${op}`)
  }
}

/** A literal of a case as a program would give it; of an unknown column as it stands. */
function literal(value: Json, type: ColumnType | undefined): Literal {
  if (type?.kind !== 'primitive') return value as Literal
  switch (type.name) {
    case 'bigint':
      return BigInt(value as string)
    case 'float':
    case 'double':
      return Number(value)
    case 'binary':
    case 'varbinary':
    case 'bytes':
      return new Uint8Array(Buffer.from(value as string, 'hex'))
    default:
      return value as Literal
  }
}
