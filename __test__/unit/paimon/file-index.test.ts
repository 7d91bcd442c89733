import { describe, expect, test } from 'vitest'
import { bind } from '../../../ts/expr/bind.js'
import { col, type Filter } from '../../../ts/expr/dsl.js'
import { BloomIndex } from '../../../ts/paimon/file-index/bloom.js'
import { type FileIndex, parseFileIndex } from '../../../ts/paimon/file-index/container.js'
import { evaluateFileIndex, type FileIndexResult } from '../../../ts/paimon/file-index/evaluate.js'
import { xxHash64 } from '../../../ts/paimon/file-index/hash64.js'
import { FilePaths } from '../../../ts/paimon/metadata/file-paths.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import { readManifestList } from '../../../ts/paimon/metadata/manifest-list.js'
import type { TableSchema } from '../../../ts/paimon/metadata/schema.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import { utf8 } from '../../../ts/types/utf8.js'
import { casesOf, failure, io, pathsOf, rowsOf, typeOf } from './fixtures.js'

interface Predicate {
  readonly op: string
  readonly field: string
  readonly value: unknown
  readonly values: readonly unknown[]
  readonly args: readonly Predicate[]
}

/** A predicate of the cases, which no null satisfies. */
function filterOf(predicate: Predicate): Filter {
  const literal = (value: unknown) => (predicate.field === 'bsi' ? BigInt(value as string) : (value as string))
  if (predicate.op === 'and') return predicate.args.map(filterOf).reduce((a, b) => a.and(b))
  if (predicate.op === 'or') return predicate.args.map(filterOf).reduce((a, b) => a.or(b))
  const column = col(predicate.field)
  switch (predicate.op) {
    case 'eq':
      return column.eq(literal(predicate.value))
    case 'ne':
      return column.notEq(literal(predicate.value)).and(column.notNull())
    case 'gt':
      return column.gt(literal(predicate.value))
    case 'lt':
      return column.lt(literal(predicate.value))
    case 'in':
      return column.in(predicate.values.map(literal))
    case 'between':
      return column.gtEq(literal(predicate.values[0])).and(column.ltEq(literal(predicate.values[1])))
    case 'isNull':
      return column.isNull()
    default:
      throw new Error(predicate.op)
  }
}

interface Indexed {
  readonly name: string
  readonly rowCount: bigint
  readonly index: FileIndex
}

async function indexesOf(table: string): Promise<{ schema: TableSchema; files: Indexed[] }> {
  const paths = pathsOf(table)
  const snapshot = (await new SnapshotStore(io, paths).latest())!
  const schema = (await new SchemaStore(io, paths).latest())!
  const filePaths = new FilePaths(paths, schema)
  const files: Indexed[] = []
  for (const list of [snapshot.baseManifestList, snapshot.deltaManifestList]) {
    for (const { fileName } of await readManifestList({ io }, paths.manifest(list))) {
      for (const { file, bucket } of (await readManifest({ io }, paths.manifest(fileName))).entries) {
        const sidecar = file.extraFiles.find((name) => name.endsWith('.index'))
        const bytes =
          file.embeddedFileIndex ?? (await io.read(filePaths.extraFile([], bucket, file, sidecar as string)))
        files.push({ name: file.fileName, rowCount: file.rowCount, index: parseFileIndex(bytes, file.fileName) })
      }
    }
  }
  return { schema, files }
}

function evaluate(schema: TableSchema, { index, rowCount }: Indexed, filter: Filter): FileIndexResult {
  const bound = bind(filter.expression, schema.asShared, { caseSensitive: true })
  return evaluateFileIndex(bound, index, (id) => schema.fieldById(id), rowCount)
}

/** Bitmaps and slices tell rows exactly; what a Bloom filter tells of is the file. */
function exact(predicate: Predicate): boolean {
  if (predicate.args !== undefined) return predicate.args.every(exact)
  return ['bm', 'bmi', 'bsi', 'rb'].includes(predicate.field)
}

for (const table of ['index_embedded', 'index_external']) {
  describe(table, () => {
    for (const one of casesOf(table)) {
      const predicate = one.scan.predicate as Predicate | undefined
      if (predicate === undefined || one.scan.options !== undefined) continue
      test(`${one.id} keeps the files that the reference keeps, and the rows that match`, async () => {
        const { schema, files } = await indexesOf(table)
        expect(files.length).toBe(4)
        const results = files.map((file) => evaluate(schema, file, filterOf(predicate)))
        const kept = files.filter((_, i) => results[i]!.keep).map((file) => file.name)
        // The embedded table's plans are pruned by the reference's own index evaluation.
        const plan = casesOf('index_embedded').find(({ id }) => id === one.id.replace('external', 'embedded'))!.plan!
        const planned = (plan.splits ?? []).flatMap((split) => split.files)
        expect(kept.length).toBe(planned.length)
        if (table === 'index_embedded') expect(kept.sort()).toEqual(planned.map((file) => file.name).sort())
        const count = rowsOf(one.rowsFile!).length
        if (exact(predicate)) expect(results.reduce((sum, { rows }) => sum + (rows?.count ?? 0), 0)).toBe(count)
      })
    }

    test('every order agrees with the rows of the table, at every value', async () => {
      const { schema, files } = await indexesOf(table)
      const rows = rowsOf(casesOf(table)[0]!.rowsFile!)
      const count = (filter: Filter): number =>
        files.reduce((sum, file) => {
          const { keep, rows: found } = evaluate(schema, file, filter)
          return sum + (keep ? (found?.count ?? Number.NaN) : 0)
        }, 0)
      const expected = (column: string, test: (value: bigint) => boolean): number =>
        rows.filter((row) => row[column] !== null && test(BigInt(row[column] as string))).length
      for (const column of ['bsi', 'rb']) {
        const values = new Set(rows.map((row) => row[column]).filter((value) => value !== null))
        const some = [...values].filter((_, i) => i % 17 === 0).map((value) => BigInt(value as string))
        for (const value of [...some, -1n, 0n, 5n, 100_000n]) {
          expect(count(col(column).lt(value))).toBe(expected(column, (x) => x < value))
          expect(count(col(column).ltEq(value))).toBe(expected(column, (x) => x <= value))
          expect(count(col(column).gt(value))).toBe(expected(column, (x) => x > value))
          expect(count(col(column).gtEq(value))).toBe(expected(column, (x) => x >= value))
          expect(count(col(column).eq(value))).toBe(expected(column, (x) => x === value))
        }
      }
    })

    test('a Bloom filter has every value of its file and few others', async () => {
      const { files } = await indexesOf(table)
      const rows = rowsOf(casesOf(table)[0]!.rowsFile!)
      let absent = 0
      for (const { index } of files) {
        const filter = (column: string, type: string): BloomIndex =>
          new BloomIndex(typeOf(type), index.get(column)!.find((one) => one.type === 'bloom-filter')!.body!)
        const [ids, texts] = [filter('id', 'INT'), filter('bloom', 'STRING')]
        const mine = rows.filter(
          (row) => texts.mayHave(utf8(row.bloom as string)) && ids.mayHave(BigInt(row.id as number)),
        )
        expect(mine.length).toBeGreaterThanOrEqual(100)
        expect(mine.length).toBeLessThan(120)
        for (let i = 0; i < 1000; i++) if (!ids.mayHave(BigInt(1_000_000 + i))) absent++
      }
      expect(absent).toBeGreaterThan(3500)
    })
  })
}

test('xxHash64 gives the published values', () => {
  expect(xxHash64(utf8(''))).toBe(0xef46db3751d8e999n)
  expect(xxHash64(utf8('a'))).toBe(0xd24ec4f1a98c6e5bn)
  expect(xxHash64(utf8('abc'))).toBe(0x44bc2cf5ad770999n)
  expect(xxHash64(utf8('Nobody inspects the spammish repetition'))).toBe(0xfbcea83c8a378bf1n)
})

test('bytes that are no index, or end too early, are named', async () => {
  const { files } = await indexesOf('index_embedded')
  expect(files.length).toBe(4)
  const error = await failure(() => parseFileIndex(utf8('not an index at all, whatever it is'), 'x.index'))
  expect([error.code, error.context.file]).toEqual(['CORRUPT_FILE', 'x.index'])
  expect((await failure(() => parseFileIndex(new Uint8Array(3), 'y.index'))).code).toBe('CORRUPT_FILE')
})
