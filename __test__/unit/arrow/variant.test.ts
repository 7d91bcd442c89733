import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeVariant } from '../../../ts/arrow/variant.js'
import { variantToJs, variantToJson } from '../../../ts/arrow/variant-fold.js'
import { LakefoldError } from '../../../ts/base/errors.js'

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const NO_NAMES = hex('01 00 00')

// Bytes by hand from the Parquet spec, "Variant Binary Encoding".
const primitives: readonly [name: string, bytes: string, js: unknown, json: string][] = [
  ['null', '00', null, 'null'],
  ['true', '04', true, 'true'],
  ['false', '08', false, 'false'],
  ['int8', '0c ff', -1, '-1'],
  ['int16', '10 00 80', -32768, '-32768'],
  ['int32', '14 ff ff ff 7f', 2147483647, '2147483647'],
  ['int64', '18 ff ff ff ff ff ff ff 7f', 9223372036854775807n, '9223372036854775807'],
  ['double', '1c 00 00 00 00 00 00 f8 3f', 1.5, '1.5'],
  ['decimal4', '20 02 7d 00 00 00', '1.25', '1.25'],
  ['decimal4, trailing zero', '20 02 96 00 00 00', '1.50', '1.5'],
  ['decimal8', '24 00 ff ff ff ff ff ff ff ff', '-1', '-1'],
  ['decimal16', '28 02 ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff', '-0.01', '-0.01'],
  [
    'decimal16 beyond 64 bits',
    '28 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00',
    '18446744073709551616',
    '18446744073709551616',
  ],
  ['date', '2c 47 4d 00 00', '2024-03-01', '"2024-03-01"'],
  ['timestamp', '30 40 42 0f 00 00 00 00 00', '1970-01-01T00:00:01Z', '"1970-01-01 00:00:01+00:00"'],
  ['timestamp, fraction', '34 20 a1 07 00 00 00 00 00', '1970-01-01T00:00:00.500000', '"1970-01-01 00:00:00.5"'],
  ['float', '38 00 00 c0 3f', 1.5, '1.5'],
  ['binary', '3c 02 00 00 00 00 ff', new Uint8Array([0, 255]), '"AP8="'],
  ['string', '40 02 00 00 00 c3 bc', 'ü', '"ü"'],
  ['time', '44 40 42 0f 00 00 00 00 00', '00:00:01', '"00:00:01"'],
  [
    'timestamp nanos',
    '48 01 00 00 00 00 00 00 00',
    '1970-01-01T00:00:00.000000001Z',
    '"1970-01-01 00:00:00.000000001+00:00"',
  ],
  [
    'uuid',
    '50 f2 4f 9b 64 81 fa 49 d1 b7 4e 8c 09 a6 e3 1c 56',
    'f24f9b64-81fa-49d1-b74e-8c09a6e31c56',
    '"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"',
  ],
  ['short string', '09 68 69', 'hi', '"hi"'],
  ['empty array', '03 00 00', [], '[]'],
  ['array', '03 02 00 02 03 0c 01 00', [1, null], '[1,null]'],
  ['empty object', '02 00 00', {}, '{}'],
]

describe('decodeVariant', () => {
  test.each(primitives)('%s', (_name, bytes, js, json) => {
    const variant = decodeVariant(NO_NAMES, hex(bytes))
    expect(variantToJs(variant)).toEqual(js)
    expect(variantToJson(variant)).toBe(json)
  })

  test('an object finds its fields by name, in any order of values', () => {
    // Names a, b; {a: 1, b: "x"} with the value of b first.
    const metadata = hex('11 02 00 01 02 61 62')
    const value = hex('02 02 00 01 02 00 04 05 78 0c 01')
    expect(variantToJson(decodeVariant(metadata, value))).toBe('{"a":1,"b":"x"}')
  })

  test('a field may be named __proto__', () => {
    const metadata = new Uint8Array([1, 1, 0, 9, ...Buffer.from('__proto__')])
    const object = variantToJs(decodeVariant(metadata, hex('02 01 00 00 01 04')))
    expect(Object.keys(object as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
  })

  test.each([
    ['empty value', '01 00 00', ''],
    ['cut number', '01 00 00', '18 00'],
    ['string longer than the value', '01 00 00', '40 ff ff ff ff 61'],
    ['array of four billion', '01 00 00', '13 ff ff ff ff 00'],
    ['a field that has no name', '01 00 00', '02 01 05 00 01 00'],
    ['metadata of another version', '02 00 00', '00'],
    ['no metadata', '', '00'],
    ['text that is not UTF-8', '01 00 00', '05 ff'],
    ['lists that share one element, 2^40 of it in all', '01 00 00', `${'03 02 00 00 00'.repeat(40)} 00`],
    ['an array that holds itself', '01 00 00', '03 01 fd 00 00'],
  ])('%s is CORRUPT_FILE', (_name, metadata, value) => {
    const code = (() => {
      try {
        return decodeVariant(hex(metadata), hex(value)).kind
      } catch (error) {
        return LakefoldError.is(error) ? error.code : error
      }
    })()
    expect(code).toBe('CORRUPT_FILE')
  })

  test('any bytes give a value or a typed error, in bounded time', () => {
    const bytes = fc.uint8Array({ maxLength: 200 })
    fc.assert(
      fc.property(bytes, bytes, (metadata, value) => {
        metadata[0] = 0x01
        try {
          variantToJson(decodeVariant(metadata, value))
        } catch (error) {
          if (!LakefoldError.is(error)) throw error
        }
      }),
      { numRuns: 3000 },
    )
  })
})
