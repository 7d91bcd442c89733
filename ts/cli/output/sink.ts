import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

/** Where results go: a file, or stdout. Waits where the reader of a pipe is slow; ends quietly where it has gone. */
export class Sink {
  readonly #out: Writable
  readonly #own: boolean
  #closed = false
  #error: Error | undefined

  constructor(path: string | undefined) {
    this.#own = path !== undefined
    this.#out = path === undefined ? process.stdout : createWriteStream(path)
    this.#out.on('error', (error: NodeJS.ErrnoException) => {
      this.#closed = true
      if (error.code !== 'EPIPE') this.#error = error
    })
  }

  /** Whether nobody reads any more, as after `| head`. */
  get closed(): boolean {
    return this.#closed
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.#error !== undefined) throw this.#error
    if (this.#closed || chunk.length === 0) return
    if (!this.#out.write(chunk)) await Promise.race([once(this.#out, 'drain'), once(this.#out, 'close')])
  }

  async end(): Promise<void> {
    if (this.#own && !this.#closed) {
      this.#out.end()
      await finished(this.#out)
    }
    if (this.#error !== undefined) throw this.#error
  }
}
