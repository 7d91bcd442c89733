import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { parseJson, stringifyJson } from '../../../ts/base/json.js'
import { FileScanTask } from '../../../ts/task/scan-task.js'
import type { JsonValue } from '../../../ts/types/types.js'

const folder = new URL('../../fixtures/tasks/', import.meta.url)
const golden = (name: string) => readFileSync(new URL(name, folder), 'utf8').trim()
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))

describe('the task document', () => {
  it.each(names)('%s comes back byte for byte', (name) => {
    expect(FileScanTask.fromJson(golden(name)).toJson()).toBe(golden(name))
  })

  it('has exactly the keys of the published schema', () => {
    const schema = JSON.parse(readFileSync(new URL('../../../ts/task/schema.json', import.meta.url), 'utf8'))
    const task = JSON.parse(golden('deletes.json'))
    expect(Object.keys(task)).toEqual(Object.keys(schema.properties))
    expect(Object.keys(task['data-file'])).toEqual(Object.keys(schema.properties['data-file'].properties))
    expect(Object.keys(task.partition[0])).toEqual(Object.keys(schema.properties.partition.items.properties))
    expect(Object.keys(task['delete-files'][0])).toEqual(Object.keys(schema.$defs['delete-file'].properties))
  })

  it('keeps 64-bit integers exact', () => {
    const task = FileScanTask.fromJson(golden('deletes.json'))
    expect(task.dataSequenceNumber).toBe(9223372036854775807n)
    expect(task.dataFile.firstRowId).toBe(9223372036854775806n)
    expect(task.dataFile.recordCount).toBe(-1n)
    expect(FileScanTask.fromJson(golden('plain.json')).snapshotId).toBe(9223372036854775801n)
  })

  it('shows what the plan decided', () => {
    const task = FileScanTask.fromJson(golden('changelog.json'))
    expect(task.residual).toBe('["true"]')
    expect(task.deleteFiles.map((file) => file.upperPath)).toEqual(['s3://bucket/t/e'])
    expect(task.onlyDeletedBy?.map((file) => file.referencedDataFile)).toEqual(['s3://bucket/t/data/a.parquet'])
    expect(task.parts.constants.get(2147483543)).toBe('DELETE')
    expect([task.start, task.length, task.specId]).toEqual([4, 4092, 0])
  })

  it.each([
    ['another version', { version: 2 }, 'UNSUPPORTED', 'version'],
    ['no schema', { schema: undefined }, 'CORRUPT_FILE', 'schema'],
    ['a negative start', { start: -1 }, 'CORRUPT_FILE', 'start'],
    ['a length beyond 2^53', { length: 2 ** 60 }, 'CORRUPT_FILE', 'length'],
    ['rows that this build does not know', { rows: { kind: 'merge' } }, 'CORRUPT_FILE', 'rows.kind'],
    [
      'an unknown format',
      { 'data-file': { path: 'p', location: 'l', format: 'csv' } },
      'CORRUPT_FILE',
      'data-file.format',
    ],
    ['no residual text', { 'residual-text': null }, 'CORRUPT_FILE', 'residual-text'],
    ['a constant without an id', { constants: { x: 1 } }, 'CORRUPT_FILE', 'constants.x'],
  ])('refuses %s and names the field', (_, change, code, field) => {
    const text = stringifyJson({
      ...(parseJson(golden('plain.json')) as Record<string, JsonValue>),
      ...change,
    } as JsonValue)
    let error: unknown
    try {
      FileScanTask.fromJson(text)
    } catch (thrown) {
      error = thrown
    }
    expect(LakefoldError.is(error) && [error.code, error.context.field]).toEqual([code, field])
  })
})
