import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { bind } from '../../../ts/expr/bind.js'
import { col } from '../../../ts/expr/dsl.js'
import type { FileIO } from '../../../ts/io/file-io.js'
import { parseFileIndex } from '../../../ts/paimon/file-index/container.js'
import { evaluateFileIndex } from '../../../ts/paimon/file-index/evaluate.js'
import { BinaryRow } from '../../../ts/paimon/metadata/binary-row.js'
import { serializeRow } from '../../../ts/paimon/metadata/binary-row-writer.js'
import type { Datum } from '../../../ts/paimon/metadata/datum.js'
import { ownFile } from '../../../ts/paimon/metadata/loaded-file.js'
import { readManifest } from '../../../ts/paimon/metadata/manifest.js'
import { readManifestList } from '../../../ts/paimon/metadata/manifest-list.js'
import { parseTableSchema } from '../../../ts/paimon/metadata/schema.js'
import { SchemaStore } from '../../../ts/paimon/metadata/schema-store.js'
import { SimpleStats } from '../../../ts/paimon/metadata/simple-stats.js'
import { parseSnapshot } from '../../../ts/paimon/metadata/snapshot.js'
import { SnapshotStore } from '../../../ts/paimon/metadata/snapshot-store.js'
import type { PaimonType } from '../../../ts/paimon/metadata/types.js'
import { io, pathsOf, typeOf } from './fixtures.js'

const PLACE = { file: 'hostile', field: 'row' }
const RUNS = { numRuns: 300 }

/** Whatever the bytes are, either there is a value or a LakefoldError. */
function typed(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!LakefoldError.is(error)) throw error
    expect(['CORRUPT_FILE', 'UNSUPPORTED', 'LIMIT_EXCEEDED']).toContain(error.code)
  }
}

/** Sound bytes with some changed, and cut or lengthened. */
function mutated(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(fc.nat({ max: Math.max(0, bytes.length - 1) }), fc.nat({ max: 255 }))
  return fc
    .tuple(fc.array(change, { maxLength: 6 }), fc.nat({ max: bytes.length }), fc.boolean())
    .map(([changes, length, cut]) => {
      const copy = new Uint8Array(bytes)
      for (const [at, byte] of changes) copy[at] = byte
      return cut ? copy.subarray(0, length) : copy
    })
}

const ROW: PaimonType = {
  kind: 'row',
  nullable: true,
  fields: [
    { id: 1, name: 'x', type: typeOf('INT') },
    { id: 2, name: 'y', type: typeOf('STRING') },
  ],
}
const TYPES: readonly PaimonType[] = [
  ...['BOOLEAN', 'TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'FLOAT', 'DOUBLE', 'DATE', 'TIME(3)', 'DECIMAL(10,2)'],
  ...['DECIMAL(38,4)', 'STRING', 'BYTES', 'TIMESTAMP(3)', 'TIMESTAMP(6)', 'TIMESTAMP(9)', 'VARIANT'],
  ...['ARRAY<INT>', 'ARRAY<STRING>', 'MAP<STRING, ARRAY<BIGINT>>', 'MULTISET<INT>', 'ARRAY<DECIMAL(38,0)>'],
]
  .map(typeOf)
  .concat(ROW)

const int = (bits: number): fc.Arbitrary<number> => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const wide = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n })
const bytes = fc.uint8Array({ maxLength: 20 })
const text = fc.string({ unit: 'grapheme', maxLength: 12 })

function datumOf(type: PaimonType): fc.Arbitrary<Datum> {
  const value = (): fc.Arbitrary<Datum> => {
    switch (type.kind) {
      case 'boolean':
        return fc.boolean()
      case 'tinyint':
        return int(8)
      case 'smallint':
        return int(16)
      case 'int':
      case 'date':
        return int(32)
      case 'bigint':
        return long
      case 'float':
        return fc.float()
      case 'double':
        return fc.double()
      case 'time':
        return fc.bigInt({ min: 0n, max: 86_399_999n }).map((millis) => millis * 1000n)
      case 'decimal':
        return type.precision > 18 ? wide : fc.bigInt({ min: -9_999_999_999n, max: 9_999_999_999n })
      case 'varchar':
        return text
      case 'varbinary':
        return bytes
      case 'timestamp': {
        const micros = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n })
        return type.precision <= 3 ? micros.map((one) => one * 1000n) : micros
      }
      case 'variant':
        return fc.record({ value: bytes, metadata: bytes })
      case 'array':
        return fc.array(datumOf(type.element), { maxLength: 40 })
      case 'multiset':
        return fc.array(fc.tuple(datumOf(type.element), int(32)), { maxLength: 5 })
      case 'map':
        return fc.array(fc.tuple(datumOf(type.key), datumOf(type.value)), { maxLength: 5 })
      case 'row':
        return fc.tuple(...type.fields.map((one) => datumOf(one.type)))
      default:
        throw new Error(type.kind)
    }
  }
  return fc.option(value())
}

const rows = fc
  .array(fc.constantFrom(...TYPES), { maxLength: 80 })
  .chain((types) => fc.tuple(fc.constant(types), fc.tuple(...types.map(datumOf))))

describe('rows', () => {
  test('what is written is read back, for every type', () => {
    fc.assert(
      fc.property(rows, ([types, values]) => {
        const read = BinaryRow.deserialize(serializeRow(types, values), PLACE)
        expect(read.arity).toBe(types.length)
        expect(read.values(types)).toEqual(values)
      }),
      RUNS,
    )
  })

  test('changed and cut rows are values or a typed error', () => {
    const hostile = rows.chain(([types, values]) => fc.tuple(fc.constant(types), mutated(serializeRow(types, values))))
    fc.assert(
      fc.property(hostile, ([types, data]) => typed(() => BinaryRow.deserialize(data, PLACE).values(types))),
      RUNS,
    )
  })

  test('any bytes are a row of any types or a typed error, as statistics too', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.constantFrom(...TYPES), { maxLength: 8 }),
        (data, types) => {
          typed(() => BinaryRow.deserialize(data, PLACE).values(types))
          const fields = types.map((type, id) => ({ id, name: `c${id}`, type }))
          const stats = new SimpleStats({ minValues: data, maxValues: data, nullCounts: undefined }, fields, PLACE)
          for (const one of fields) typed(() => stats.column(one.id))
        },
      ),
      RUNS,
    )
  })

  test('blocks that refer to themselves do not multiply', () => {
    // An array of 100 arrays, each of which is the same bytes again, three types deep: a million elements if followed.
    const type = typeOf('ARRAY<ARRAY<ARRAY<ARRAY<BIGINT>>>>')
    const block = new Uint8Array(4 + 16 + 100 * 8)
    const view = new DataView(block.buffer)
    view.setInt32(0, 100, true)
    for (let i = 0; i < 100; i++) view.setUint32(20 + i * 8, block.length, true)
    const row = new Uint8Array(16 + block.length)
    row.set(block, 16)
    new DataView(row.buffer).setUint32(8, block.length, true)
    new DataView(row.buffer).setUint32(12, 16, true)
    expect(() => new BinaryRow(row, 1, PLACE).get(0, type)).toThrow(/overlap/)
  })
})

describe('files', () => {
  test('manifests', async () => {
    const paths = pathsOf('pk_levels')
    const snapshot = (await new SnapshotStore(io, paths).latest())!
    const [first] = await readManifestList({ io }, paths.manifest(snapshot.baseManifestList))
    const file = paths.manifest(first!.fileName)
    const sound = await io.read(file)
    expect((await readManifest({ io }, file)).seen).toBeGreaterThan(0)
    await fc.assert(
      fc.asyncProperty(mutated(sound), async (data) => {
        const source = { io: { read: async () => data } as unknown as FileIO }
        for (const filter of [{}, { level: (level: number) => level > 0 }]) {
          const read = await readManifest(source, 'manifest-x', filter).catch((error) => () => {
            throw error
          })
          // Members of files are read when they are asked for.
          typed(typeof read === 'function' ? read : () => read.entries.map(({ file }) => ownFile(file)))
        }
      }),
      { numRuns: 150 },
    )
  })

  test('file indexes', async () => {
    const paths = pathsOf('index_embedded')
    const snapshot = (await new SnapshotStore(io, paths).latest())!
    const schema = (await new SchemaStore(io, paths).latest())!
    const [first] = await readManifestList({ io }, paths.manifest(snapshot.deltaManifestList))
    const [entry] = (await readManifest({ io }, paths.manifest(first!.fileName))).entries
    const sound = entry!.file.embeddedFileIndex!
    const filters = [
      col('bm').eq('cat5'),
      col('bm').isNull(),
      col('bmi').notEq(3),
      col('bsi').gt(5),
      col('rb').ltEq(12),
      col('bloom').in(['a', 'key-1-1']),
    ].map((filter) => bind(filter.expression, schema.asShared, { caseSensitive: true }))
    fc.assert(
      fc.property(mutated(sound), (data) => {
        typed(() => {
          const index = parseFileIndex(data, 'x.index')
          for (const filter of filters) {
            typed(() => evaluateFileIndex(filter, index, (id) => schema.fieldById(id), entry!.file.rowCount))
          }
        })
      }),
      RUNS,
    )
  })

  test('snapshots and schemas', async () => {
    const paths = pathsOf('types_parquet')
    const snapshot = await io.read(paths.snapshot(1n))
    const schema = await io.read(paths.schema(0))
    fc.assert(
      fc.property(mutated(snapshot), (data) => typed(() => parseSnapshot(data, 's'))),
      RUNS,
    )
    fc.assert(
      fc.property(mutated(schema), (data) => typed(() => parseTableSchema(data, 's'))),
      RUNS,
    )
  })
})
