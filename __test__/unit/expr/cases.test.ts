import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { bind } from '../../../ts/expr/bind.js'
import { partitionEvaluator } from '../../../ts/expr/evaluate-partition.js'
import type { BoundExpression } from '../../../ts/expr/node.js'
import { parseFilter } from '../../../ts/expr/parse.js'
import { printFilter } from '../../../ts/expr/print.js'
import { projectInclusive } from '../../../ts/expr/project.js'
import { residuals } from '../../../ts/expr/residual.js'
import { toRest } from '../../../ts/expr/rest.js'
import { transformResultType } from '../../../ts/types/json.js'
import type { PartitionSpec, PartitionTuple } from '../../../ts/types/partition.js'
import type { Schema } from '../../../ts/types/schema.js'
import { valueFromJson } from '../../../ts/types/single-value.js'
import type { JsonValue } from '../../../ts/types/types.js'
import { filterCases, type JsonObject, readMetadata, schemaOf, specsOf } from './fixtures.js'

const cases = filterCases()

/** What Java throws for a filter that does not fit its table; other errors are about files and snapshots. */
const FILTER_ERRORS = /ValidationException|NullPointerException|DateTimeParseException|IllegalArgumentException/

/** One text per meaning: nested junctions flattened, operands and set members sorted and each once. */
function meaning(bound: BoundExpression): string {
  switch (bound.op) {
    case 'and':
    case 'or':
      return `${bound.op}(${[...new Set(flatten(bound, bound.op).map(meaning))].sort().join()})`
    case 'in':
    case 'not-in': {
      const each = bound.literals.map((literal) => printFilter({ ...bound, literals: [literal] })).sort()
      return each.join()
    }
    default:
      return printFilter(bound)
  }
}

function flatten(bound: BoundExpression, op: 'and' | 'or'): readonly BoundExpression[] {
  return bound.op === op && 'children' in bound ? bound.children.flatMap((child) => flatten(child, op)) : [bound]
}

function tupleOf(entry: JsonObject, spec: PartitionSpec, schema: Schema): PartitionTuple {
  const values = (entry.partition ?? {}) as JsonObject
  return spec.fields.map((field) => {
    const json: JsonValue = values[field.name] ?? null
    const source = schema.findField(field.sourceIds[0] as number)
    if (json === null || source === undefined) return null
    const type = transformResultType(field.transform, source.type)
    return type === undefined ? null : valueFromJson(type, json)
  })
}

describe('filters of the reference cases', () => {
  it('has them all', () => {
    expect(cases.length).toBeGreaterThan(1700)
  })

  it.each(cases.map((one) => [one.id, one] as const))('%s', (_, one) => {
    const metadata = readMetadata(one.metadata)
    const schema = schemaOf(metadata, one.scan)
    const caseSensitive = one.scan.caseSensitive !== false
    const input = one.scan.filter as JsonObject | boolean
    // A table never written is not planned, so that Java never looks at its filter.
    if (Number(metadata['current-snapshot-id'] ?? -1) === -1) return
    if (one.error !== undefined && one.evaluated === undefined) {
      if (FILTER_ERRORS.test(String(one.error.class))) {
        expect(() => bind(parseFilter(input), schema, { caseSensitive })).toThrow(LakefoldError)
      }
      return
    }
    const bound = bind(parseFilter(input), schema, { caseSensitive })
    // Printing and reading back gives the same filter, in both spellings.
    const printed = printFilter(bound)
    expect(printFilter(bind(parseFilter(printed), schema, { caseSensitive: true }))).toBe(printed)
    expect(printFilter(bind(parseFilter(toRest(bound) as never), schema, { caseSensitive: true }))).toBe(printed)
    const specs = new Map(specsOf(metadata).map((spec) => [spec.specId, spec]))
    for (const entry of one.plan ?? []) {
      if (entry.residual === undefined || entry.kind !== undefined) continue
      const spec = specs.get(Number(entry.specId)) as PartitionSpec
      const tuple = tupleOf(entry, spec, schema)
      const types = (id: number) => schema.findField(id)?.type
      if (one.planInexact === undefined) {
        const test = partitionEvaluator(projectInclusive(bound, spec, types))
        expect(test(tuple), `${entry.path} is planned`).toBe(true)
      }
      if (one.scan.ignoreResiduals === true) continue
      const residual = residuals(bound, spec, schema)(tuple)
      const expected = bind(parseFilter(entry.residual as never), schema, { caseSensitive })
      expect(meaning(residual), String(entry.path)).toBe(meaning(expected))
    }
  })
})
