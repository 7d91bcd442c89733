import { LakefoldError } from '../base/errors.js'
import type { JsonValue } from '../types/types.js'
import type { Expression, PredicateOp, TextOp, UnboundTerm } from './node.js'
import { junction, literal, negation, predicate, transformTerm } from './unbound.js'

/** A value to compare a column with. Its column's type decides what fits. */
export type LiteralValue = boolean | number | bigint | string | Date | Uint8Array

/** Marks a built filter as ours across copies of the package. */
const BRAND = Symbol.for('lakefold.filter')

/** A filter made by {@link col}; immutable, each method returns a new one. */
export class Filter {
  /** The frozen tree. */
  readonly expression: Expression

  constructor(expression: Expression) {
    this.expression = expression
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Whether `value` is a built filter, also one of another copy of the package. */
  static is(value: unknown): value is Filter {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
  }

  /** Rows that satisfy this filter and all others. */
  and(...others: readonly Filter[]): Filter {
    return and(this, ...others)
  }

  /** Rows that satisfy this filter or one of the others. */
  or(...others: readonly Filter[]): Filter {
    return or(this, ...others)
  }

  /** Rows that do not satisfy this filter; `not(eq)` is `notEq`, which null satisfies. */
  not(): Filter {
    return new Filter(negation(this.expression))
  }
}

/** A column, or a transform of one, to be compared. */
export class Column {
  readonly #term: UnboundTerm

  constructor(term: UnboundTerm) {
    this.#term = term
  }

  #make(op: PredicateOp | TextOp, values: readonly LiteralValue[]): Filter {
    const literals = values.map((value) => literal(value as JsonValue, 'native'))
    return new Filter(predicate(op, this.#term, literals))
  }

  /** Equal to `value`. */
  eq(value: LiteralValue): Filter {
    return this.#make('eq', [value])
  }

  /** Not equal to `value`; null and NaN satisfy it. */
  notEq(value: LiteralValue): Filter {
    return this.#make('not-eq', [value])
  }

  /** Greater than `value`. */
  gt(value: LiteralValue): Filter {
    return this.#make('gt', [value])
  }

  /** Greater than or equal to `value`. */
  gtEq(value: LiteralValue): Filter {
    return this.#make('gt-eq', [value])
  }

  /** Less than `value`. */
  lt(value: LiteralValue): Filter {
    return this.#make('lt', [value])
  }

  /** Less than or equal to `value`. */
  ltEq(value: LiteralValue): Filter {
    return this.#make('lt-eq', [value])
  }

  /** One of `values`. */
  in(values: readonly LiteralValue[]): Filter {
    return this.#make('in', values)
  }

  /** None of `values`; null and NaN satisfy it. */
  notIn(values: readonly LiteralValue[]): Filter {
    return this.#make('not-in', values)
  }

  /** Null. */
  isNull(): Filter {
    return this.#make('is-null', [])
  }

  /** Not null. */
  notNull(): Filter {
    return this.#make('not-null', [])
  }

  /** NaN; only for float and double columns. */
  isNaN(): Filter {
    return this.#make('is-nan', [])
  }

  /** Null or a number; only for float and double columns. */
  notNaN(): Filter {
    return this.#make('not-nan', [])
  }

  /** A string, binary or fixed value that begins with `prefix`. */
  startsWith(prefix: string | Uint8Array): Filter {
    return this.#make('starts-with', [prefix])
  }

  /** Does not begin with `prefix`; null satisfies it. */
  notStartsWith(prefix: string | Uint8Array): Filter {
    return this.#make('not-starts-with', [prefix])
  }

  /** A string that ends with `suffix`; Paimon tables only. */
  endsWith(suffix: string): Filter {
    return this.#make('ends-with', [suffix])
  }

  /** A string that holds `part`; Paimon tables only. */
  contains(part: string): Filter {
    return this.#make('contains', [part])
  }

  /** A string like `pattern`, as in SQL: `%` is any text, `_` any character; Paimon tables only. */
  like(pattern: string): Filter {
    return this.#make('like', [pattern])
  }

  /** At least `from` and at most `to`. */
  between(from: LiteralValue, to: LiteralValue): Filter {
    return this.gtEq(from).and(this.ltEq(to))
  }
}

/**
 * Names a column to filter by; dots step into structs.
 *
 * @example
 * ```ts
 * col('id').gt(10n).and(col('region').in(['eu', 'us']), col('note').isNull().not())
 * ```
 */
export function col(name: string): Column {
  if (typeof name !== 'string') {
    throw new LakefoldError('INVALID_FILTER', `A column name must be a string, not ${typeof name}`, {
      context: { value: name },
    })
  }
  return new Column({ column: name })
}

/** Names a partition transform of a column, such as `transform('bucket[16]', 'id')`. */
export function transform(text: string, column: string): Column {
  return new Column(transformTerm(text, column))
}

/** Rows that satisfy all filters. */
export function and(...filters: readonly Filter[]): Filter {
  return new Filter(
    junction(
      'and',
      filters.map((filter) => filter.expression),
    ),
  )
}

/** Rows that satisfy one of the filters. */
export function or(...filters: readonly Filter[]): Filter {
  return new Filter(
    junction(
      'or',
      filters.map((filter) => filter.expression),
    ),
  )
}

/** Rows that do not satisfy the filter. */
export function not(filter: Filter): Filter {
  return filter.not()
}
