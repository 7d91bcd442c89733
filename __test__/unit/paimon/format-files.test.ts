import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import type { FilterInput } from '../../../ts/expr/parse.js'
import { isCuttable } from '../../../ts/paimon/format-table/line-options.js'
import { FormatTable, ScanContextBuilder, TableRead, TableScan } from '../../../ts/paimon/index.js'
import { Options } from '../../../ts/paimon/metadata/option.js'
import { readRows } from '../../../ts/reader/rows.js'

const folder = mkdtempSync(join(tmpdir(), 'lakefold-lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Column = readonly [name: string, type: unknown]

let tables = 0

/** A format table of one file. */
function tableOf(
  columns: readonly Column[],
  options: Readonly<Record<string, string>>,
  content: string | Uint8Array,
  ending = '',
): FormatTable {
  const location = mkdtempSync(join(folder, `${tables++}-`))
  writeFileSync(join(location, `data-0.${options['file.format']}${ending}`), content)
  const fields = columns.map(([name, type], id) => ({ id, name, type }))
  const schema = {
    version: 3,
    id: 0,
    fields,
    highestFieldId: columns.length,
    partitionKeys: [],
    primaryKeys: [],
    options: { type: 'format-table', ...options },
    timeMillis: 0,
  }
  return new FormatTable(location, JSON.stringify(schema))
}

async function rowsOf(
  table: FormatTable,
  edit: (builder: ScanContextBuilder) => ScanContextBuilder = (builder) => builder,
  columns?: readonly string[],
): Promise<unknown[]> {
  const context = edit(new ScanContextBuilder(table)).finish()
  const scan = await TableScan.create(context)
  const plan = await scan.createPlan()
  const read = await TableRead.create(scan, columns === undefined ? {} : { columns })
  const rows: unknown[] = []
  for await (const row of readRows(read.toBatchReader(plan))) rows.push(row)
  return rows
}

const NAMED: readonly Column[] = [
  ['id', 'INT'],
  ['name', 'STRING'],
]

describe('a format table of text', () => {
  test('reads CSV by the options of the table, each under its old name too', async () => {
    const text = "id|name\n1|'a|b'\n2|NIL\n"
    const rows = [
      { id: 1, name: 'a|b' },
      { id: 2, name: null },
    ]
    const spelled: readonly Readonly<Record<string, string>>[] = [
      {
        'csv.field-delimiter': '|',
        'csv.quote-character': "'",
        'csv.null-literal': 'NIL',
        'csv.include-header': 'true',
      },
      { seq: '|', quote: "'", nullvalue: 'NIL', header: 'true' },
    ]
    for (const options of spelled) {
      expect(await rowsOf(tableOf(NAMED, { 'file.format': 'csv', ...options }, text))).toEqual(rows)
    }
  })

  test('reads nested JSON, and what it cannot read as it is told', async () => {
    const columns: readonly Column[] = [
      ['id', 'BIGINT'],
      ['tags', { type: 'ARRAY', element: 'STRING' }],
    ]
    const text = '{"id":9007199254740993,"tags":["a",null]}\nnone\n{"id":"x"}\n'
    const failing = tableOf(columns, { 'file.format': 'json' }, text)
    await expect(rowsOf(failing)).rejects.toMatchObject({ code: 'CORRUPT_FILE', context: { line: '2', value: 'none' } })
    const lenient = tableOf(columns, { 'file.format': 'json', 'json.ignore-parse-errors': 'true' }, text)
    expect(await rowsOf(lenient)).toEqual([
      { id: 9007199254740993n, tags: ['a', null] },
      { id: null, tags: null },
    ])
  })

  test('reads lines of text, compressed and with an own delimiter', async () => {
    const table = tableOf(
      [['line', 'STRING']],
      { 'file.format': 'text', 'text.line-delimiter': ';' },
      gzipSync('a\nb;;c'),
      '.gz',
    )
    expect(await rowsOf(table)).toEqual([{ line: 'a\nb' }, { line: '' }, { line: 'c' }])
  })

  test('is cut into pieces that have each line once, the header in none', async () => {
    const ids = Array.from({ length: 200 }, (_, id) => id)
    const text = `id,name\r\n${ids.map((id) => `${id},name ${id}`).join('\r\n')}`
    const table = tableOf(NAMED, { 'file.format': 'csv', 'csv.include-header': 'true' }, text)
    for (const size of ['10 b', '37 b', '1 kb']) {
      const rows = await rowsOf(table, (builder) => builder.addOption('source.split.target-size', size))
      expect(rows).toEqual(ids.map((id) => ({ id, name: `name ${id}` })))
    }
  })

  test('applies filters and selections exactly', async () => {
    const table = tableOf(NAMED, { 'file.format': 'csv' }, '1,apple\n2,pineapple\n3,\nx,fig\n')
    const names = (filter: string) => rowsOf(table, (builder) => builder.setPredicate(filter), ['name'])
    expect(await names('id >= 2')).toEqual([{ name: 'pineapple' }, { name: null }])
    expect(await names('id is null')).toEqual([{ name: 'fig' }])
    const dsl = (filter: FilterInput) => rowsOf(table, (builder) => builder.setPredicate(filter), ['name'])
    expect(await dsl(['not', ['ends-with', 'name', 'apple']])).toEqual([{ name: 'fig' }])
    expect(await dsl(['not', ['contains', 'name', 'i']])).toEqual([{ name: 'apple' }])
    expect(await dsl(['not', ['like', 'name', '%pp__']])).toEqual([{ name: 'fig' }])
  })

  test('names the option, column or value at fault', async () => {
    const csv = (options: Record<string, string>, text = 'x,y\n') =>
      rowsOf(tableOf(NAMED, { 'file.format': 'csv', ...options }, text))
    await expect(csv({ 'csv.field-delimiter': '||' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      context: { option: 'csv.field-delimiter', value: '||' },
    })
    await expect(csv({ 'csv.line-delimiter': '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(csv({ 'csv.mode': 'strict' })).rejects.toMatchObject({ context: { option: 'csv.mode' } })
    await expect(csv({ 'csv.mode': 'failfast' })).rejects.toMatchObject({
      code: 'CORRUPT_FILE',
      context: { field: 'id', line: '1', value: 'x' },
    })
    expect(await csv({ 'csv.mode': 'DROPMALFORMED' })).toEqual([])
    const nested = tableOf([['a', { type: 'ARRAY', element: 'INT' }]], { 'file.format': 'csv' }, 'x\n')
    await expect(rowsOf(nested)).rejects.toMatchObject({ code: 'UNSUPPORTED', context: { field: 'a' } })
  })

  test('is not cut where a piece could not tell where lines begin', () => {
    const options = (map: Record<string, string>) => new Options(new Map(Object.entries(map)), 'test')
    expect(isCuttable('/a/x.csv', 'csv', options({}))).toBe(true)
    expect(isCuttable('/a/x', 'json', options({ 'json.line-delimiter': '\r\n' }))).toBe(true)
    expect(isCuttable('/a/x.csv.gz', 'csv', options({}))).toBe(false)
    expect(isCuttable('/a/x.csv', 'csv', options({ lineSep: ';' }))).toBe(false)
    expect(isCuttable('/a/x.text', 'text', options({}))).toBe(false)
    expect(isCuttable('/a/x.parquet', 'parquet', options({}))).toBe(false)
  })
})

// As the reference 1.4.2: FileNotFoundException of each format, whatever the options (FormatScenarios.java has it checked).
describe('a file of a format table that is lost after it was listed', () => {
  const fixtures = join(import.meta.dirname, '../../fixtures/paimon-scenarios')
  const ignoring = ['scan.ignore-lost-files', 'scan.ignore-corrupt-files']
  test.each(['hole_format_parquet', 'hole_format_orc', 'line_format_csv', 'line_format_json', 'plain_format_text'])(
    '%s',
    async (name) => {
      const location = join(folder, `lost-${name}`)
      cpSync(join(fixtures, 'warehouse/fx.db', name), location, { recursive: true })
      const table = new FormatTable(location, readFileSync(join(fixtures, 'format-schemas', `${name}.json`), 'utf8'))
      const builder = ignoring.reduce((one, option) => one.addOption(option, 'true'), new ScanContextBuilder(table))
      const scan = await TableScan.create(builder.finish())
      const plan = await scan.createPlan()
      expect(plan.splits).toHaveLength(2)
      rmSync(location, { recursive: true })
      const rows = readRows((await TableRead.create(scan)).toBatchReader(plan))
      await expect(rows.next()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    },
  )
})
