import { LakefoldError } from '../base/errors.js'
import type { Transform } from './partition.js'
import type { PrimitiveType, Type } from './types.js'

const MAX_INT = 2 ** 31 - 1

/**
 * Reads a transform's text in any case: `identity`, `bucket[16]` or `bucket(16)`, `truncate[10]`, `year`, ..., `void`.
 * Anything else, also a bucket count or width that is not positive, is `unknown` and keeps its text.
 */
export function parseTransform(text: string): Transform {
  const match = /^\s*([a-z]+)\s*(?:\[\s*(\d{1,10})\s*\]|\(\s*(\d{1,10})\s*\))?\s*$/i.exec(text)
  const name = match?.[1]?.toLowerCase()
  const digits = match?.[2] ?? match?.[3]
  if (digits === undefined) {
    switch (name) {
      case 'identity':
      case 'year':
      case 'month':
      case 'day':
      case 'hour':
      case 'void':
        return { kind: name }
    }
  } else {
    const argument = Number(digits)
    if (argument >= 1 && argument <= MAX_INT) {
      if (name === 'bucket') return { kind: 'bucket', count: argument }
      if (name === 'truncate') return { kind: 'truncate', width: argument }
    }
  }
  return { kind: 'unknown', text }
}

/** The transform's text as metadata spells it. */
export function transformToText(transform: Transform): string {
  switch (transform.kind) {
    case 'bucket':
      return `bucket[${transform.count}]`
    case 'truncate':
      return `truncate[${transform.width}]`
    case 'unknown':
      return transform.text
    default:
      return transform.kind
  }
}

function isTimestamp(type: Type): boolean {
  return (
    type.kind === 'timestamp' ||
    type.kind === 'timestamptz' ||
    type.kind === 'timestamp_ns' ||
    type.kind === 'timestamptz_ns'
  )
}

const BUCKETED = new Set(['int', 'long', 'decimal', 'date', 'time', 'string', 'uuid', 'fixed', 'binary'])
const TRUNCATED = new Set(['int', 'long', 'decimal', 'string', 'binary'])

/**
 * The type of a transform's result (Iceberg spec, "Partition Transforms"); undefined where the transform is unknown or
 * may not be applied to `source`.
 */
export function transformResultType(transform: Transform, source: Type): PrimitiveType | undefined {
  if (source.kind === 'struct' || source.kind === 'list' || source.kind === 'map') return undefined
  switch (transform.kind) {
    case 'identity':
      return source.kind === 'geometry' || source.kind === 'geography' || source.kind === 'variant' ? undefined : source
    case 'void':
      return source
    case 'bucket':
      return BUCKETED.has(source.kind) || isTimestamp(source) ? { kind: 'int' } : undefined
    case 'truncate':
      return TRUNCATED.has(source.kind) ? source : undefined
    case 'year':
    case 'month':
      return source.kind === 'date' || isTimestamp(source) ? { kind: 'int' } : undefined
    case 'day':
      return source.kind === 'date' || isTimestamp(source) ? { kind: 'date' } : undefined
    case 'hour':
      return isTimestamp(source) ? { kind: 'int' } : undefined
    case 'unknown':
      return undefined
  }
}

/** Whether two transforms are the same one. */
export function sameTransform(a: Transform, b: Transform): boolean {
  return a.kind === b.kind && transformToText(a) === transformToText(b)
}

/** Throws INTERNAL: a transform was applied to a type that {@link transformResultType} refuses. */
export function badTransform(transform: Transform, source: Type): never {
  throw new LakefoldError('INTERNAL', `Transform ${transformToText(transform)} does not apply to ${source.kind}`, {
    context: { transform: transformToText(transform), type: source.kind },
  })
}
