import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { splitFromJson } from '../../ts/paimon/index.js'
import { PaimonTable } from '../../ts/paimon/table.js'

const root = join(import.meta.dirname, '../..')
const fixtures = join(root, '__test__/fixtures/paimon')
const warehouse = join(fixtures, 'warehouse/fx.db')
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function lakefold(command: string, table: string, ...args: string[]) {
  const all = [join(root, bin.lakefold), command, join(warehouse, table), ...args]
  return new Promise<{ code: number; stdout: string; stderr: string; bytes: Buffer }>((resolve) => {
    execFile(process.execPath, all, { encoding: 'buffer', maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code)
      resolve({ code, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout })
    })
  })
}

interface Case {
  readonly id: string
  readonly count: number
  readonly rowsFile: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly plan: { readonly splits: readonly Split[] }
}

interface Split {
  readonly rawConvertible: boolean
  readonly bucketPath: string
  readonly files: readonly File[]
  readonly deletionFiles: readonly unknown[]
}

interface File {
  readonly name: string
  readonly level: number
  readonly rowCount: number
  readonly fileSize: number
}

function caseOf(id: string): Case {
  const cases = JSON.parse(readFileSync(join(fixtures, `cases/${id.split('__')[0]}.json`), 'utf8')) as Case[]
  const found = cases.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no case ${id}`)
  return found
}

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const caseRows = (id: string) => lines(readFileSync(join(fixtures, 'cases', caseOf(id).rowsFile), 'utf8'))
const byId = (a: { id: number }, b: { id: number }) => a.id - b.id

// The values are the reference's.
describe('lakefold on Paimon tables', () => {
  it('plan prints splits: a row each, or what splitFromJson reads', async () => {
    const { plan } = caseOf('pk_levels__003_eq_500')
    const [split] = plan.splits
    const files = split?.files ?? []
    const sum = (of: (file: File) => number) => files.reduce((total, file) => total + of(file), 0)
    const { stdout } = await lakefold('plan', 'pk_levels', '--where', 'id = 500', '--format', 'ndjson')
    expect(lines(stdout)).toEqual([
      {
        folder: 'bucket-0',
        bucket: 0,
        files: files.length,
        levels: [...new Set(files.map(({ level }) => level))].sort().join(','),
        rows: sum(({ rowCount }) => rowCount),
        bytes: sum(({ fileSize }) => fileSize),
        vectors: 0,
        read: split?.rawConvertible ? 'raw' : 'merge',
      },
    ])
    const json = JSON.parse((await lakefold('plan', 'pk_levels', '--where', 'id = 500', '--json')).stdout)
    const { schema } = await PaimonTable.open(join(warehouse, 'pk_levels'))
    const read = splitFromJson(JSON.stringify(json[0]), schema)
    expect(read.dataFiles.map(({ fileName }) => fileName).sort()).toEqual(files.map(({ name }) => name).sort())
  })

  it('plan tells the folders of partitions, and how many files have deletion vectors', async () => {
    const dates = lines((await lakefold('plan', 'part_date', '--format', 'ndjson')).stdout)
    expect(dates.map(({ folder }) => folder).sort()).toEqual(
      caseOf('part_date__001_all')
        .plan.splits.map(({ bucketPath }) => bucketPath)
        .sort(),
    )
    const vectors = lines((await lakefold('plan', 'pk_dv', '--format', 'ndjson')).stdout)
    const expected = caseOf('pk_dv__001_all').plan.splits.map(
      ({ deletionFiles }) => deletionFiles.filter(Boolean).length,
    )
    expect(vectors.map((split) => split.vectors).sort()).toEqual(expected.sort())
  })

  it('schema lists columns by the names of their types, at a tag, branch or snapshot too', async () => {
    for (const [table, id, ...args] of [
      ['types_parquet', 'types_parquet__001_all'],
      ['branch_schema', 'branch_schema__002_branch', '--ref', 'b1'],
      ['branch_schema', 'branch_schema__005_tag_schema', '--ref', 'base'],
    ] as const) {
      const { stdout } = await lakefold('schema', table, '--json', ...args)
      const { fields } = JSON.parse(stdout) as { fields: { name: string; type: unknown }[] }
      expect(fields.map(({ name }) => name)).toEqual(caseOf(id).columns.map(({ name }) => name))
      const table1 = (await lakefold('schema', table, ...args)).stdout
      for (const { name, type } of caseOf(id).columns) {
        const line = table1.split('\n').find((text) => text.trim().split(/\s+/)[1] === name)
        expect(line).toContain(` ${type.replace(/ NOT NULL$/, '').slice(0, 60)}`)
      }
    }
  })

  it('schema --json is the schema file', async () => {
    const file = JSON.parse(readFileSync(join(warehouse, 'pk_dv/schema/schema-0'), 'utf8'))
    expect(JSON.parse((await lakefold('schema', 'pk_dv', '--json')).stdout)).toEqual(file)
  })

  it('explain tells how many files are left', async () => {
    const { stdout } = await lakefold('explain', 'pk_levels', '--where', 'id = 500', '--json')
    const files = caseOf('pk_levels__003_eq_500').plan.splits.flatMap((split) => split.files).length
    const all = caseOf('pk_levels__001_all').plan.splits.flatMap((split) => split.files).length
    expect(JSON.parse(stdout)).toMatchObject({ 'files-to-read': files, 'files-skipped': all - files, splits: 1 })
    expect((await lakefold('explain', 'pk_levels')).stdout).toContain(`data files: 0 dropped, ${all} to read`)
  })

  it('scan merges by key, at a snapshot, a tag, a branch or with options', async () => {
    for (const [table, id, ...args] of [
      ['pk_dv', 'pk_dv__001_all'],
      ['pk_dv', 'pk_dv__002_eq', '--where', 'id = 14'],
      ['pk_dv', 'pk_dv__010_snap_2', '--snapshot', '2'],
      ['history', 'history__002_tag_t1', '--ref', 't1'],
      ['history', 'history__005_version_tag', '--option', 'scan.version=t1'],
      ['branch_schema', 'branch_schema__003_branch_pred', '--ref', 'b1', '--where', 'EXTRA = 7', '--case-insensitive'],
    ] as const) {
      const { stdout, stderr } = await lakefold('scan', table, '--format', 'ndjson', ...args)
      expect(stderr).toBe('')
      const exact = (row: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, name === 'extra' ? Number(value) : value]))
      expect(lines(stdout).sort(byId).map(exact)).toEqual(caseRows(id).sort(byId).map(exact))
      if (id !== 'branch_schema__003_branch_pred') {
        expect((await lakefold('count', table, ...args)).stdout).toBe(`${caseOf(id).count}\n`)
      }
    }
  })

  it('refs lists branches and tags with their snapshots', async () => {
    const refs = lines((await lakefold('refs', 'branch_schema', '--format', 'ndjson')).stdout)
    const of = (type: string) => refs.filter((ref) => ref.type === type).map((ref) => ref.name)
    expect(of('BRANCH')).toEqual(['main', ...caseRows('branch_schema__006_sys_branches').map((row) => row.branch_name)])
    expect(refs.filter((ref) => ref.type === 'TAG').map((ref) => [ref.name, String(ref.snapshot_id)])).toEqual(
      caseRows('branch_schema__007_sys_tags').map((row) => [row.tag_name, String(row.snapshot_id)]),
    )
  })

  it('scan prints system tables', async () => {
    const { stdout } = await lakefold('scan', 'history$tags', '--select', 'tag_name,snapshot_id', '--format', 'ndjson')
    expect(lines(stdout)).toEqual([
      { tag_name: '2024-05-06', snapshot_id: 4 },
      { tag_name: 't1', snapshot_id: 1 },
      { tag_name: 't3', snapshot_id: 3 },
    ])
    const { bytes } = await lakefold('scan', 'history$tags', '--limit', '2', '--format', 'arrow')
    expect(tableFromIPC(bytes).numRows).toBe(2)
    expect((await lakefold('scan', 'history$tags', '--where', 'tag_name = 1')).code).toBe(2)
    expect((await lakefold('count', 'history$tags')).code).toBe(2)
  })

  for (const name of ['snapshots', 'files', 'manifests', 'partitions']) {
    it(`${name} --json is a list of rows`, async () => {
      const { stdout, stderr, code } = await lakefold(name, 'part_date', '--json')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout).length).toBeGreaterThan(0)
    })
  }

  it('what it cannot do is told by name', async () => {
    const history = await lakefold('history', 'pk_dv')
    expect(history.code).toBe(2)
    expect(history.stderr).toContain('snapshots lists those of a Paimon table')
    const lost = await lakefold('scan', 'history', '--ref', 'nope')
    expect(lost).toMatchObject({ code: 1, stdout: '' })
    expect(lost.stderr).toMatch(/^error UNKNOWN_REF: .*it has 2024-05-06, t1, t3/)
  })
})
