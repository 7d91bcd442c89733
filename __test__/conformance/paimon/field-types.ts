import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Column } from '../schema.js'
import type { PaimonCase } from './case.js'
import { columnsOf, parseType } from './type.js'

/** What filters may name beside the columns. */
const ROW_ID: Column = { name: '_ROW_ID', required: false, type: { kind: 'primitive', name: 'bigint', args: [] } }

/** The types by which a case's filter spells its literals: those of the columns read, and of the table's schemas for the others. */
export function fieldTypes(location: string, testCase: PaimonCase): Column[] {
  const fields = columnsOf(testCase.columns ?? [])
  const folder = join(location, 'schema')
  if (!existsSync(folder)) return fields
  const files = readdirSync(folder).filter((name) => name.startsWith('schema-'))
  for (const name of files.sort().reverse()) {
    const { fields: all } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      fields: { name: string; type: unknown }[]
    }
    for (const { name: field, type } of all) {
      if (typeof type !== 'string' || fields.some((known) => known.name === field)) continue
      fields.push({ name: field, required: false, type: parseType(type) })
    }
  }
  return [...fields, ROW_ID]
}
