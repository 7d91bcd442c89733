import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, stringifyJson } from '../../../ts/base/json.js'
import { parseTokens } from '../../../ts/base/json-tokens.js'
import { failure } from '../failure.js'

describe('parseJson', () => {
  it('keeps whole numbers beyond 2^53 exact, and no others as bigint', () => {
    expect(parseJson('[9007199254740991,9007199254740992,-9223372036854775808,9223372036854775807]')).toEqual([
      9007199254740991,
      9007199254740992n,
      -9223372036854775808n,
      9223372036854775807n,
    ])
    expect(parseJson('[1.5,1e3,-0.25,0]')).toEqual([1.5, 1000, -0.25, 0])
  })

  it('reads what JSON.parse reads, alike', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        // Numbers beyond 2^53 are the point of having our own.
        const ours = JSON.parse(
          JSON.stringify(parseJson(text), (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
        )
        expect(ours).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))))
      }),
    )
  })

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[[\]{}",:0-9.eE+\-tfnulrase \\/]{0,12}$/), (text) => {
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        if (!valid) expect(failure(() => parseJson(text)).code).toBe('CORRUPT_FILE')
        else parseJson(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes long numbers for numbers where they are, and nowhere else', () => {
    const long = '1234567890123456789'
    expect(parseJson(` ${long} `)).toBe(1234567890123456789n)
    expect(parseJson(`{"a":${long},"b" : [ -${long}\n,${long}]}`)).toEqual({
      a: 1234567890123456789n,
      b: [-1234567890123456789n, 1234567890123456789n],
    })
    expect(parseJson(`["a: ${long}, b","${long}",":${long}]",1000000000000000,${long}.5,${long}e2]`)).toEqual([
      `a: ${long}, b`,
      long,
      `:${long}]`,
      1e15,
      Number(`${long}.5`),
      Number(`${long}e2`),
    ])
    for (const text of [`{ ${long} : 1}`, `[00${long}]`, `[- ${long}]`, `[${long} ${long}]`, `["a" ${long} ]`]) {
      expect(failure(() => parseJson(text)).code).toBe('CORRUPT_FILE')
    }
    expect(parseJson(`["\ue000${long}","\\uE000${long}"]`)).toEqual([`\ue000${long}`, `\ue000${long}`])
  })

  it('gives what reading token by token gives, value or error', () => {
    const outcome = (parse: (text: string, file?: string) => unknown, text: string) => {
      try {
        return { value: parse(text, 'f') }
      } catch (error) {
        return { message: (error as Error).message }
      }
    }
    const pieces = [
      '"',
      '\\',
      ':',
      ',',
      '[',
      ']',
      '{',
      '}',
      ' ',
      '1234567890123456',
      '-9223372036854775808',
      '0',
      '.5',
      'e9',
    ]
    const piece = fc.oneof(
      fc.constantFrom(...pieces, '"a"', '"a":', '\ue000', '\\ue000', '\n', 'null', '1e999', '"__proto__":'),
      fc.json(),
    )
    const texts = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
    const arrays = texts.map((text) => `[${text}]`)
    fc.assert(
      fc.property(fc.oneof(texts, arrays), (text) => {
        expect(outcome(parseJson, text)).toEqual(outcome(parseTokens, text))
      }),
      { numRuns: 5000 },
    )
    for (const depth of [255, 256, 257, 258]) {
      for (const inner of ['', '1']) {
        const text = '['.repeat(depth) + inner + ']'.repeat(depth)
        expect(outcome(parseJson, text)).toEqual(outcome(parseTokens, text))
      }
    }
  })

  it('names the file, line and column of an error', () => {
    const error = failure(() => parseJson('{\n  "a": 1,\n  "b" 2\n}', '/t/v1.metadata.json'))
    expect(error.message).toBe('/t/v1.metadata.json is not valid JSON at line 3, column 7: ":" is missing')
    expect(error.context).toEqual({ file: '/t/v1.metadata.json', line: 3, column: 7 })
  })

  it.each(['"\\', '"\\"', '"abc', '"a\nb"', '"\\x"', '01', '1.', '-', '', '[1,]', '{"a":1,}', 'nul', '1e999', '[1] 2'])(
    'refuses %j',
    (text) => {
      expect(failure(() => parseJson(text)).code).toBe('CORRUPT_FILE')
    },
  )

  it('refuses nesting that would exhaust the stack', () => {
    expect(failure(() => parseJson('['.repeat(1_000_000))).message).toContain('nested deeper')
    expect(failure(() => parseJson('{"a":'.repeat(1_000_000))).message).toContain('nested deeper')
  })

  it('takes __proto__ as any other key', () => {
    const value = parseJson('{"__proto__":{"x":1}}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(stringifyJson(value as never)).toBe('{"__proto__":{"x":1}}')
  })
})

describe('stringifyJson', () => {
  it('writes what parseJson reads back as the same value', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Math.abs(n) < 2 ** 53),
      fc.bigInt().filter((n) => n > 2n ** 53n || n < -(2n ** 53n)),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseJson(stringifyJson(value as never))).toEqual(value)
      }),
    )
  })
})
