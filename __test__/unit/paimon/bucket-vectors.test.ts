import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BinaryRow } from '../../../ts/paimon/metadata/binary-row.js'
import { encodeRow } from '../../../ts/paimon/metadata/binary-row-writer.js'
import { type BucketFunctionName, bucketFunction } from '../../../ts/paimon/metadata/bucket-function.js'
import type { Datum } from '../../../ts/paimon/metadata/datum.js'
import { rowHash } from '../../../ts/paimon/metadata/row-hash.js'
import type { PaimonType } from '../../../ts/paimon/metadata/types.js'
import { MICROS, NANOS, parseDate, parseTime, parseTimestamp } from '../../../ts/types/temporal.js'
import { fromHex, toHex } from '../../../ts/types/utf8.js'
import { FIXTURES, typeOf } from './fixtures.js'

interface Vector {
  readonly value: readonly unknown[]
  readonly binaryRow?: string
  readonly hash?: number
  readonly buckets?: Readonly<Record<string, number>>
  readonly error?: string
}

const vectors = JSON.parse(readFileSync(join(FIXTURES, 'bucket-vectors.json'), 'utf8')) as {
  single: { types: string[]; vectors: Vector[] }[]
  multi: { types: string[]; vectors: Vector[] }[]
  nanBits: (Vector & { type: string; bits: string })[]
  otherFunctions: { function: BucketFunctionName; types: string[]; vectors: Vector[] }[]
}

/** A value in the row encoding of the cases. */
function datum(type: PaimonType, value: unknown): Datum {
  if (value === null) return null
  switch (type.kind) {
    case 'bigint':
      return BigInt(value as string)
    case 'float':
    case 'double':
      return typeof value === 'string' ? Number(value) : (value as number)
    case 'decimal':
      return BigInt((value as string).replace('.', ''))
    case 'date':
      return parseDate(value as string)!
    case 'time':
      return parseTime(value as string, MICROS)!.ticks
    case 'timestamp':
    case 'timestamp_ltz': {
      const text = (value as string).replace(/Z$/, '')
      return parseTimestamp(text, type.precision <= 6 ? MICROS : NANOS, { offset: 'forbidden', lenient: true })!.ticks
    }
    case 'binary':
    case 'varbinary':
      return fromHex(value as string)!
    default:
      return value as Datum
  }
}

describe('bucket keys as the reference writes and hashes them', () => {
  for (const { types: names, vectors: all } of [...vectors.single, ...vectors.multi]) {
    test(names.join(', '), () => {
      const types = names.map(typeOf)
      const bucket = bucketFunction('default', types)!
      expect(all.length).toBeGreaterThan(2)
      for (const vector of all) {
        const values = vector.value.map((value, i) => datum(types[i]!, value))
        const image = encodeRow(types, values)
        expect(toHex(image)).toBe(vector.binaryRow)
        expect(rowHash(image)).toBe(vector.hash)
        for (const [count, wanted] of Object.entries(vector.buckets!)) {
          expect(bucket(values, Number(count))).toBe(wanted)
        }
        const place = { file: 'vector', field: 'key' }
        const kept = values.map((value, i) => (types[i]!.kind === 'float' ? Math.fround(value as number) : value))
        const read = new BinaryRow(fromHex(vector.binaryRow!)!, types.length, place).values(types)
        expect(read).toEqual(kept.map((value, i) => (values[i] === null ? null : value)))
      }
    })
  }

  test('NaN bit patterns hash by their bits', () => {
    for (const { binaryRow, hash, buckets } of vectors.nanBits) {
      expect(rowHash(fromHex(binaryRow!)!)).toBe(hash)
      for (const [count, wanted] of Object.entries(buckets!)) expect(Math.abs(hash! % Number(count))).toBe(wanted)
    }
    expect(vectors.nanBits.length).toBe(7)
  })
})

describe('the mod and hive functions', () => {
  for (const { function: name, types: names, vectors: all } of vectors.otherFunctions) {
    test(`${name} of ${names.join(', ')}`, () => {
      const types = names.map(typeOf)
      const bucket = bucketFunction(name, types)!
      for (const { value, buckets, error } of all) {
        const values = value.map((one, i) => datum(types[i]!, one))
        if (error !== undefined) expect(bucket(values, 4), error).toBeUndefined()
        for (const [count, wanted] of Object.entries(buckets ?? {})) {
          expect(bucket(values, Number(count)), JSON.stringify(value)).toBe(wanted)
        }
      }
    })
  }

  test('mod takes one INT or BIGINT only', () => {
    expect(bucketFunction('mod', [typeOf('STRING')])).toBeUndefined()
    expect(bucketFunction('mod', [typeOf('INT'), typeOf('INT')])).toBeUndefined()
  })
})

describe('golden vectors of the format page', () => {
  const golden: [string[], Datum[], string, number, number[]][] = [
    [['INT'], [0], '00000000000000000000000000000000', -300363099, [1, 3, 9]],
    [['INT'], [1], '00000000000000000100000000000000', 1465514398, [0, 2, 8]],
    [['INT'], [-1], '0000000000000000ffffffff00000000', 1133687267, [1, 3, 7]],
    [['INT'], [42], '00000000000000002a00000000000000', 907821237, [1, 1, 7]],
    [['INT'], [2147483647], '0000000000000000ffffff7f00000000', -1125657321, [1, 1, 1]],
    [['INT'], [null], '00010000000000000000000000000000', -1748325344, [0, 0, 4]],
    [['BIGINT'], [-1n], '0000000000000000ffffffffffffffff', -821098432, [0, 0, 2]],
    [['STRING'], [''], '00000000000000000000000000000080', 302122119, [1, 3, 9]],
    [['STRING'], ['hello'], '000000000000000068656c6c6f000085', 243722546, [0, 2, 6]],
    [['STRING'], ['1234567'], '00000000000000003132333435363787', 199144172, [0, 0, 2]],
    [['STRING'], ['12345678'], '000000000000000008000000100000003132333435363738', -391021801, [1, 1, 1]],
    [
      ['STRING'],
      ['hello world'],
      '00000000000000000b0000001000000068656c6c6f20776f726c640000000000',
      161593394,
      [0, 2, 4],
    ],
    [['BOOLEAN'], [true], '00000000000000000100000000000000', 1465514398, [0, 2, 8]],
    [['DOUBLE'], [1.5], '0000000000000000000000000000f83f', 1860889473, [1, 1, 3]],
    [['FLOAT'], [1.5], '00000000000000000000c03f00000000', -173842779, [1, 3, 9]],
    [['DATE'], [19723], '00000000000000000b4d000000000000', -1439008885, [1, 1, 5]],
    [['DECIMAL(10,2)'], [12345n], '00000000000000003930000000000000', 767607022, [0, 2, 2]],
    [
      ['DECIMAL(20,2)'],
      [12345n],
      '0000000000000000020000001000000030390000000000000000000000000000',
      -118192725,
      [1, 1, 5],
    ],
    [
      ['DECIMAL(20,2)'],
      [-12345n],
      '00000000000000000200000010000000cfc70000000000000000000000000000',
      -605613085,
      [1, 1, 5],
    ],
    [['TIMESTAMP(3)'], [1704067200123000n], '00000000000000007bf451c28c010000', 985649424, [0, 0, 4]],
    [['TIMESTAMP(6)'], [1704067200123456n], '000000000000000040f50600100000007bf451c28c010000', 941252157, [1, 1, 7]],
    [['INT', 'STRING'], [1, 'a'], '000000000000000001000000000000006100000000000081', -948407462, [0, 2, 2]],
    [
      ['STRING', 'BIGINT'],
      ['hello world', 7n],
      '00000000000000000b00000018000000070000000000000068656c6c6f20776f726c640000000000',
      135158767,
      [1, 3, 7],
    ],
  ]
  for (const [names, values, image, hash, [two, four, ten]] of golden) {
    test(`${names.join(', ')}: ${values.join(', ')}`, () => {
      const types = names.map(typeOf)
      expect(toHex(encodeRow(types, values))).toBe(image)
      expect(rowHash(encodeRow(types, values))).toBe(hash)
      const bucket = bucketFunction('default', types)!
      expect([2, 4, 10].map((count) => bucket(values, count))).toEqual([two, four, ten])
    })
  }

  test('the hashes of special floats', () => {
    const hash = (type: string, value: Datum): number => rowHash(encodeRow([typeOf(type)], [value]))
    expect([0, -0, Number.NaN, Infinity, -Infinity].map((value) => hash('FLOAT', value))).toEqual([
      -300363099, 916225219, -2039172089, 2139216202, -106221671,
    ])
    expect([-0, Number.NaN, Infinity, -Infinity].map((value) => hash('DOUBLE', value))).toEqual([
      302122119, -1323214697, -1556713404, -2079171840,
    ])
  })

  test('keys of several columns, and what the reference writes for nulls of long types', () => {
    const bucket = (values: number[]): number | undefined =>
      bucketFunction(
        'default',
        values.map(() => typeOf('INT')),
      )!(values, 100)
    expect([bucket([5]), bucket([5, 6]), bucket([5, 6, 7])]).toEqual([96, 27, 40])
    expect(rowHash(encodeRow([typeOf('DECIMAL(20,2)')], [null]))).toBe(-1380280760)
    expect(rowHash(encodeRow([typeOf('TIMESTAMP(6)')], [null]))).toBe(-340882661)
    expect(rowHash(encodeRow([typeOf('DECIMAL(20,2)')], [-128n]))).toBe(1196242097)
  })
})
