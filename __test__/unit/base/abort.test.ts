import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { abortable, throwIfAborted } from '../../../ts/base/abort.js'

it('an aborted signal throws CANCELLED with the reason as its cause', () => {
  const reason = new Error('enough')
  expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrowError(
    expect.objectContaining({ code: 'CANCELLED', cause: reason }),
  )
  expect(() => throwIfAborted(undefined)).not.toThrow()
  expect(() => throwIfAborted(new AbortController().signal)).not.toThrow()
})

it('work that never ends rejects at once when aborted', async () => {
  const controller = new AbortController()
  const waiting = abortable(new Promise(() => {}), controller.signal)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
})

it('work that ends leaves no listener behind', async () => {
  const { signal } = new AbortController()
  await expect(abortable(Promise.resolve(7), signal)).resolves.toBe(7)
  await expect(abortable(Promise.reject(new Error('x')), signal)).rejects.toThrow('x')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

it('work given with a signal that is aborted already rejects, and its own failure goes unheard', async () => {
  await expect(abortable(Promise.reject(new Error('x')), AbortSignal.abort())).rejects.toMatchObject({
    code: 'CANCELLED',
  })
})
