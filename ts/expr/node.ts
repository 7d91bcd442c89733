import type { PartitionField, Transform } from '../types/partition.js'
import type { JsonValue, PrimitiveType, Type, Value } from '../types/types.js'

/** The unbound tree: what every filter spelling is parsed to. Frozen; n-ary `and` and `or` are kept flat or nested, both are legal. */
export type Expression =
  | { readonly op: 'true' }
  | { readonly op: 'false' }
  | { readonly op: 'not'; readonly child: Expression }
  | { readonly op: 'and' | 'or'; readonly children: readonly Expression[] }
  | UnboundPredicate

export type UnaryOp = 'is-null' | 'not-null' | 'is-nan' | 'not-nan'
export type LiteralOp = 'lt' | 'lt-eq' | 'gt' | 'gt-eq' | 'eq' | 'not-eq' | 'starts-with' | 'not-starts-with'
export type SetOp = 'in' | 'not-in'
export type PredicateOp = UnaryOp | LiteralOp | SetOp
/** Tests of text that only Paimon tables take: there is no pruning by them. `like` knows `%`, `_` and a backslash before one of them. */
export type TextOp = 'ends-with' | 'not-ends-with' | 'contains' | 'not-contains' | 'like' | 'not-like'

export interface UnboundTerm {
  readonly column: string
  /** A REST transform term such as bucket[16](id); absent for a plain column. */
  readonly transform?: Transform
}

/** A literal before its column's type is known, with the spelling that it came in (rules of iceberg literals differ by spelling). */
export interface UnboundLiteral {
  readonly value: JsonValue | Uint8Array | Date
  readonly spelling: 'dsl' | 'rest' | 'native'
  /** The number's token as it was written, where `value` cannot hold it exactly. */
  readonly token?: string
}

export interface UnboundPredicate {
  readonly op: PredicateOp | TextOp
  readonly term: UnboundTerm
  readonly literals: readonly UnboundLiteral[]
}

/** The bound tree: no `not`, constants folded, literals typed. `and` and `or` have at least two children. */
export type BoundExpression =
  | { readonly op: 'true' }
  | { readonly op: 'false' }
  | { readonly op: 'and' | 'or'; readonly children: readonly BoundExpression[] }
  | BoundPredicate

export interface BoundTerm {
  readonly fieldId: number
  /** Dotted name as the schema spells it, for printing. */
  readonly name: string
  readonly type: Type
  /** Whether the column and every struct above it are required. */
  readonly required: boolean
  /** Whether the column lies in a struct. */
  readonly nested?: boolean
  /** The structs above the column that may be null, by field id. */
  readonly optionalParents?: readonly number[]
  readonly transform?: Transform
  /** The type of the term's result: the column's own, or the transform's result type. */
  readonly resultType: Type
}

/**
 * A typed literal. `value` is of the term's result type. A literal with more digits than the type holds
 * (decimal scale, time ticks) is kept exactly: then `value` is the greatest value of the type below it and `exact` is false.
 */
export interface BoundLiteral {
  readonly value: Value
  readonly exact: boolean
  /** How to print it when it is not exact. */
  readonly text?: string
}

export interface BoundPredicate {
  readonly op: PredicateOp
  readonly term: BoundTerm
  readonly literals: readonly BoundLiteral[]
}

/** A bound tree over the fields of one partition spec (or its summaries), made by projecting a bound filter. */
export type PartitionExpression =
  | { readonly op: 'true' }
  | { readonly op: 'false' }
  | { readonly op: 'and' | 'or'; readonly children: readonly PartitionExpression[] }
  | PartitionPredicate

export interface PartitionPredicate {
  readonly op: PredicateOp
  /** Index of the field in the spec, and so in the tuple and the summaries. */
  readonly index: number
  readonly field: PartitionField
  readonly type: PrimitiveType
  readonly literals: readonly BoundLiteral[]
}

/** Column metrics of one file, by field id of the schema. `undefined` = unknown. */
export interface FileMetrics {
  readonly recordCount: bigint
  /** The counts of a column in a struct leave out the rows whose struct is null, as ORC counts. */
  readonly countsPresentStructs?: boolean
  /** The bounds of UUIDs are merged from those of parts, perhaps in another order. */
  readonly mergedUuidBounds?: boolean
  valueCount(fieldId: number): bigint | undefined
  nullCount(fieldId: number): bigint | undefined
  nanCount(fieldId: number): bigint | undefined
  lowerBound(fieldId: number): Uint8Array | undefined
  upperBound(fieldId: number): Uint8Array | undefined
}

/** Summary of one partition field in a manifest list entry (Iceberg spec, field_summary). */
export interface FieldSummary {
  readonly containsNull: boolean
  readonly containsNan: boolean | undefined
  readonly lowerBound: Uint8Array | undefined
  readonly upperBound: Uint8Array | undefined
}
