import { expect, it } from 'vitest'
import { JsonObject } from '../../../ts/base/json-object.js'

const object = new JsonObject(
  { a: 1, big: 9223372036854775807n, huge: 9223372036854775808n, f: 1.5, s: 'x', n: null, list: [{ id: 'y' }], o: {} },
  '/t/m.json',
)

it('reads exact longs and 32-bit ints', () => {
  expect(object.long('a')).toBe(1n)
  expect(object.long('big')).toBe(9223372036854775807n)
  expect(object.int('a')).toBe(1)
})

it('takes null and absent alike', () => {
  expect(object.optLong('n')).toBeUndefined()
  expect(object.optLong('none')).toBeUndefined()
  expect(object.has('n')).toBe(false)
})

it.each([
  [() => object.long('huge'), '/t/m.json: huge must be a 64-bit integer, not 9223372036854775808'],
  [() => object.long('f'), '/t/m.json: f must be a 64-bit integer, not 1.5'],
  [() => object.int('big'), '/t/m.json: big must be a 32-bit integer, not 9223372036854775807'],
  [() => object.long('s'), '/t/m.json: s must be a 64-bit integer, not "x"'],
  [() => object.string('none'), '/t/m.json: none is missing'],
  [() => object.objects('list')[0]!.int('id'), '/t/m.json: list[0].id must be a 32-bit integer, not "y"'],
  [() => object.objects('o'), '/t/m.json: o must be a list, not an object'],
  [() => object.string('toString'), '/t/m.json: toString is missing'],
  [() => new JsonObject([], '/t/m.json'), '/t/m.json: the document must be an object, not a list'],
])('names the file, the field and the value (%#)', (read, message) => {
  expect(read).toThrowError(expect.objectContaining({ code: 'CORRUPT_FILE', message }))
})
