import { describe, expect, test } from 'vitest'
import { LakefoldError } from '../../../ts/base/errors.js'
import { native } from '../../../ts/base/native.js'

function codeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return LakefoldError.is(error) ? error.code : error
  }
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
/** RFC 8878 by hand: a frame of known size with one raw block, "hello". */
const ZSTD = hex('28 b5 2f fd 20 05 29 00 00 68 65 6c 6c 6f')
/** The same with one RLE block that stands for 100,000 zeros. */
const ZSTD_RLE = hex('28 b5 2f fd 00 58 03 35 0c 00')
/** Snappy's format description by hand: length 5, a literal of 5. */
const SNAPPY = hex('05 10 68 65 6c 6c 6f')

describe('bounded decompression', () => {
  test('gives what was compressed, up to exactly the bound', () => {
    expect(native().zstdDecompress(ZSTD, 5).toString()).toBe('hello')
    expect(native().snappyDecompress(SNAPPY, 5).toString()).toBe('hello')
    expect(native().zstdDecompress(ZSTD_RLE, 100_000).equals(Buffer.alloc(100_000))).toBe(true)
  })

  test('a byte more than the bound is LIMIT_EXCEEDED', () => {
    expect(codeOf(() => native().zstdDecompress(ZSTD, 4))).toBe('LIMIT_EXCEEDED')
    expect(codeOf(() => native().zstdDecompress(ZSTD_RLE, 99_999))).toBe('LIMIT_EXCEEDED')
    expect(codeOf(() => native().snappyDecompress(SNAPPY, 4))).toBe('LIMIT_EXCEEDED')
  })

  test.each([
    ['zstd, cut', () => native().zstdDecompress(ZSTD.subarray(0, 10), 100)],
    ['zstd, other bytes', () => native().zstdDecompress(hex('00 01 02 03 04'), 100)],
    ['snappy, cut', () => native().snappyDecompress(SNAPPY.subarray(0, 4), 100)],
    ['snappy, nothing', () => native().snappyDecompress(Buffer.alloc(0), 100)],
    ['snappy that claims 4 GiB', () => native().snappyDecompress(hex('ff ff ff ff 0f 00 61'), 2 ** 40)],
  ])('%s is CORRUPT_FILE', (_name, call) => {
    expect(codeOf(call)).toBe('CORRUPT_FILE')
  })
})

describe('handles', () => {
  test.each([
    ['scan', () => native().taskOpen(999_999, ['{}'])],
    ['ticket', () => native().claim(999_999_999)],
    ['dictionary', () => native().claimDictionary(999_999_999, false)],
    ['task', () => native().taskNext(native().scanOpen('{}'), 999_999, 1)],
    ['options', () => native().scanOpen('{"batchSize":0}')],
    ['projection', () => native().arrowSchema('[{"id":1}]', [])],
  ])('an unknown or broken %s is INVALID_ARGUMENT', (_name, call) => {
    expect(codeOf(call)).toBe('INVALID_ARGUMENT')
  })

  test('closing what is closed does nothing', () => {
    const scan = native().scanOpen('{}')
    native().scanClose(scan)
    expect(native().scanClose(scan)).toBeUndefined()
    expect(native().taskClose(scan, 1)).toBeUndefined()
    expect(native().discard(999_999_999)).toBeUndefined()
  })
})
