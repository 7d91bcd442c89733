import type { PartitionField, PartitionSpec } from '../types/partition.js'
import { sameTransform, transformResultType } from '../types/transform-text.js'
import type { PrimitiveType, Type } from '../types/types.js'
import { FALSE, join, TRUE } from './fold.js'
import type { BoundExpression, BoundPredicate, PartitionExpression } from './node.js'
import { projectBucket } from './project-bucket.js'
import { projectOrdered } from './project-ordered.js'

/** The type of a source column in the scan's schema; undefined where it is gone. */
export type SourceTypes = (fieldId: number) => Type | undefined

/** Inclusive: a matching row implies the result. Strict: the result implies that every row matches. */
export type Side = 'inclusive' | 'strict'

/** A partition field with all that its projections need. */
export interface Target {
  readonly index: number
  readonly field: PartitionField
  readonly sourceType: PrimitiveType
  readonly type: PrimitiveType
}

/** The predicate that every partition tuple of a matching row satisfies (iceberg rules, "Projection"). */
export function projectInclusive(
  bound: BoundExpression,
  spec: PartitionSpec,
  sourceTypes: SourceTypes,
): PartitionExpression {
  return project(bound, targets(spec, sourceTypes), 'inclusive')
}

/** A predicate on partition tuples that only holds where every row matches. */
export function projectStrict(
  bound: BoundExpression,
  spec: PartitionSpec,
  sourceTypes: SourceTypes,
): PartitionExpression {
  return project(bound, targets(spec, sourceTypes), 'strict')
}

/** The fields of a spec that can filter, by source column. */
export function targets(spec: PartitionSpec, sourceTypes: SourceTypes): ReadonlyMap<number, readonly Target[]> {
  const found = new Map<number, Target[]>()
  spec.fields.forEach((field, index) => {
    const sourceId = field.sourceIds[0]
    if (sourceId === undefined || field.sourceIds.length !== 1) return
    const sourceType = sourceTypes(sourceId)
    if (sourceType === undefined || field.transform.kind === 'void') return
    const type = transformResultType(field.transform, sourceType)
    if (type === undefined) return
    const target: Target = { index, field, sourceType: sourceType as PrimitiveType, type }
    const list = found.get(sourceId)
    if (list === undefined) found.set(sourceId, [target])
    else list.push(target)
  })
  return found
}

function project(
  bound: BoundExpression,
  fields: ReadonlyMap<number, readonly Target[]>,
  side: Side,
): PartitionExpression {
  switch (bound.op) {
    case 'true':
      return TRUE
    case 'false':
      return FALSE
    case 'and':
    case 'or':
      return join<PartitionExpression>(
        bound.op,
        bound.children.map((child) => project(child, fields, side)),
      )
    default:
      return projectLeaf(bound, fields.get(bound.term.fieldId) ?? [], side)
  }
}

/** A leaf's projection over all fields on its column: `and` inclusive, `or` strict. */
export function projectLeaf(leaf: BoundPredicate, fields: readonly Target[], side: Side): PartitionExpression {
  const projected = fields.map((target) => projectThrough(leaf, target, side)).filter((found) => found !== undefined)
  return join<PartitionExpression>(side === 'inclusive' ? 'and' : 'or', projected)
}

function projectThrough(leaf: BoundPredicate, target: Target, side: Side): PartitionExpression | undefined {
  const { transform } = target.field
  const same = (): PartitionExpression => ({
    op: leaf.op,
    index: target.index,
    field: target.field,
    type: target.type,
    literals: leaf.literals,
  })
  if (leaf.term.transform !== undefined) {
    return sameTransform(leaf.term.transform, transform) ? same() : undefined
  }
  if (transform.kind === 'identity') return same()
  if (leaf.op === 'is-null' || leaf.op === 'not-null') return same()
  if (leaf.op === 'is-nan' || leaf.op === 'not-nan') return undefined
  return transform.kind === 'bucket' ? projectBucket(leaf, target, side) : projectOrdered(leaf, target, side)
}
