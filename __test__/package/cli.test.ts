import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const lake = join(root, '__test__/fixtures/iceberg/tables')
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const cli = join(root, bin.lakefold)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lakefold-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function lakefold(command: string, table: string, ...args: string[]) {
  const all = [cli, command, join(lake, table), '--rewrite', `file:/lake/iceberg=${lake}`, ...args]
  return new Promise<{ code: number; stdout: string; stderr: string; bytes: Buffer }>((resolve) => {
    execFile(process.execPath, all, { encoding: 'buffer', maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code)
      resolve({ code, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout })
    })
  })
}

/** Rows of a case with the same scan. */
const caseRows = (id: string) =>
  readFileSync(join(root, `__test__/fixtures/iceberg/cases/rows/${id}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('lakefold on the command line', () => {
  it('scan --format ndjson gives the rows of the case', async () => {
    const { stdout, code, stderr } = await lakefold(
      'scan',
      'mixed_deletes',
      '--where',
      "cat = 'c1'",
      '--format',
      'ndjson',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const order = (a: { id: unknown }, b: { id: unknown }) => Number(a.id) - Number(b.id)
    const expected = caseRows('mixed_deletes__030').map((row) => ({ ...row, id: Number(row.id) }))
    expect(rows.sort(order)).toEqual(expected.sort(order))
  })

  it('doctor tells that a table is sound, and exits with 1 where a file is lost', async () => {
    const sound = await lakefold('doctor', 'mixed_deletes', '--read')
    expect(sound).toMatchObject({ code: 0, stderr: '' })
    expect(sound.stdout).toContain('21 files, 61 rows read: no problems')
    const damaged = join(root, '__test__/fixtures/iceberg/damaged/data_file_missing')
    const { code, stdout } = await lakefold(
      'doctor',
      join('../damaged/data_file_missing/posdel_file'),
      '--rewrite',
      `file:/lake/iceberg=${damaged}`,
      '--json',
    )
    const { problems } = JSON.parse(stdout)
    expect({ code, problems: problems.map((one: { code: string }) => one.code) }).toEqual({
      code: 1,
      problems: ['FILE_NOT_FOUND'],
    })
  })

  it('scan takes --filter, --select and --limit', async () => {
    const { stdout } = await lakefold(
      'scan',
      'mixed_deletes',
      '--filter',
      '["=","cat","c1"]',
      '--select',
      'id',
      '--limit',
      '3',
      '--format',
      'csv',
    )
    const lines = stdout.trimEnd().split('\r\n')
    expect(lines[0]).toBe('id')
    expect(lines).toHaveLength(4)
  })

  it('scan writes Arrow to a pipe and Parquet to a file', async () => {
    const { bytes } = await lakefold('scan', 'mixed_deletes', '--format', 'arrow')
    expect(tableFromIPC(bytes).numRows).toBe(61)
    const out = join(folder, 'rows.parquet')
    const written = await lakefold('scan', 'mixed_deletes', '--format', 'parquet', '--out', out)
    expect(written).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(out).subarray(0, 4).toString()).toBe('PAR1')
  })

  it('scan writes Arrow with a schema also where no row is left', async () => {
    const { bytes } = await lakefold('scan', 'mixed_deletes', '--where', 'id < 0', '--format', 'arrow')
    expect(tableFromIPC(bytes).schema.fields.map((field) => field.name)).toEqual(['id', 'cat', 'name', 'v'])
  })

  it('count prints the count', async () => {
    expect((await lakefold('count', 'mixed_deletes')).stdout).toBe('61\n')
    expect((await lakefold('count', 'mixed_deletes', '--snapshot', '228431719289178097', '--json')).stdout).toBe(
      '{"count":30}\n',
    )
  })

  it('plan --json prints the plan document, plan a table', async () => {
    const { stdout } = await lakefold('plan', 'mixed_deletes', '--where', 'id in (0, 69)', '--json')
    const plan = JSON.parse(stdout)
    expect(plan).toHaveLength(4)
    expect(plan[0].residual).toBe('["in","id",[0,69]]')
    expect((await lakefold('plan', 'mixed_deletes')).stdout.trimEnd().split('\n')).toHaveLength(11)
  })

  it('explain tells what each prune dropped', async () => {
    const { stdout } = await lakefold('explain', 'mixed_deletes', '--where', 'id in (0, 69)')
    expect(stdout).toMatch(/^data manifests: \d+ in the list, 2 dropped/m)
    expect(stdout).toMatch(/^data files: 3 dropped, 4 to read/m)
    const { stdout: json } = await lakefold('explain', 'mixed_deletes', '--where', 'id in (0, 69)', '--json')
    expect(JSON.parse(json).metrics['skipped-data-files']).toBe(3)
  })

  it('schema lists columns with ids and types', async () => {
    const { stdout } = await lakefold('schema', 'mixed_deletes')
    expect(stdout.split('\n').map((line) => line.trim().split(/\s+/).slice(0, 3).join(' '))).toContain('4 v double')
    const { stdout: json } = await lakefold('schema', 'mixed_deletes', '--json')
    expect(JSON.parse(json).fields.map((field: { name: string }) => field.name)).toEqual(['id', 'cat', 'name', 'v'])
  })

  for (const name of ['snapshots', 'refs', 'files', 'manifests', 'partitions', 'history']) {
    it(`${name} --json is a list of rows`, async () => {
      const { stdout, stderr, code } = await lakefold(name, 'mixed_deletes', '--json')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout).length).toBeGreaterThan(0)
    })
  }

  it('errors take two lines on stderr and exit with 1', async () => {
    const { code, stdout, stderr } = await lakefold('scan', 'mixed_deletes', '--where', 'nope = 1')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
    expect(stderr).toMatch(/^error UNKNOWN_COLUMN: .*nope/)
  })

  it('wrong usage exits with 2', async () => {
    for (const args of [['--nope'], ['--limit', 'x'], ['--format', 'parquet'], ['--snapshot', '1', '--ref', 'main']]) {
      const { code, stderr } = await lakefold('scan', 'mixed_deletes', ...args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr.trimEnd().split('\n'), args.join(' ')).toHaveLength(2)
    }
  })
})
