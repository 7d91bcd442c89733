import { setTimeout as sleep } from 'node:timers/promises'
import { throwIfAborted } from '../../base/abort.js'
import type { FileIO } from '../../io/file-io.js'
import { byOrder } from '../../types/compare.js'
import { ifThere, join, namesAfter } from './paths.js'

const READ_TRIES = 3
const RETRY_MILLIS = 1

/** Files of a folder that are numbered without gaps, with the hint files LATEST and EARLIEST, which are never trusted alone. */
export class NumberedFiles {
  constructor(
    private readonly io: FileIO,
    readonly folder: string,
    /** `snapshot-` or `changelog-`. */
    readonly prefix: string,
  ) {}

  location(id: bigint): string {
    return join(this.folder, `${this.prefix}${id}`)
  }

  exists(id: bigint): Promise<boolean> {
    return this.io.exists(this.location(id))
  }

  /** The highest number: that of the hint if its file is there and the next is not, else by listing. Undefined if there is none. */
  async latest(signal?: AbortSignal): Promise<bigint | undefined> {
    const hint = await this.hint('LATEST', signal)
    if (hint !== undefined && hint > 0n && !(await this.exists(hint + 1n)) && (await this.exists(hint))) return hint
    return (await this.list()).at(-1)
  }

  /** The lowest number: that of the hint if its file is there, else by listing. Undefined if there is none. */
  async earliest(signal?: AbortSignal): Promise<bigint | undefined> {
    const hint = await this.hint('EARLIEST', signal)
    if (hint !== undefined && (await this.exists(hint))) return hint
    return (await this.list()).at(0)
  }

  /** All numbers, ascending. */
  async list(): Promise<readonly bigint[]> {
    const ids: bigint[] = []
    for (const rest of await namesAfter(this.io, this.folder, this.prefix)) {
      if (/^(?:0|[1-9]\d{0,18})$/.test(rest)) ids.push(BigInt(rest))
    }
    return ids.sort(byOrder)
  }

  /** What a hint file says, undefined if it is not there or no number. It may be seen while it is written, so that it is read again. */
  private async hint(name: string, signal: AbortSignal | undefined): Promise<bigint | undefined> {
    const file = join(this.folder, name)
    for (let tries = 1; ; tries++) {
      throwIfAborted(signal)
      const bytes = await ifThere(this.io.read(file, undefined, signal))
      if (bytes === undefined) return undefined
      const text = Buffer.from(bytes).toString('latin1').trim()
      if (/^\d{1,18}$/.test(text)) return BigInt(text)
      if (tries === READ_TRIES) return undefined
      await sleep(RETRY_MILLIS)
    }
  }
}
