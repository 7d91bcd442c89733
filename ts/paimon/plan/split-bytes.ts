import { LakefoldError } from '../../base/errors.js'
import { decodeText } from '../../base/text.js'
import { utf8 } from '../../types/utf8.js'

/** Writes Java's DataOutput: big-endian, text with its length in two bytes. */
export class JavaWriter {
  private bytes = new Uint8Array(1024)
  private end = 0

  finish(): Uint8Array {
    return this.bytes.slice(0, this.end)
  }

  byte(value: number): void {
    this.room(1).setInt8(0, value)
  }

  bool(value: boolean): void {
    this.byte(value ? 1 : 0)
  }

  int(value: number): void {
    this.room(4).setInt32(0, value)
  }

  long(value: bigint): void {
    this.room(8).setBigInt64(0, value)
  }

  /** Length in two bytes, then UTF-8; beyond the first plane Java writes surrogates apart, which names of files do not have. */
  utf(value: string): void {
    const text = utf8(value)
    if (text.length > 0xffff) {
      throw new LakefoldError('LIMIT_EXCEEDED', `A text of ${text.length} bytes is too long for a split`, {
        context: { value },
      })
    }
    this.room(2).setUint16(0, text.length)
    this.raw(text)
  }

  raw(value: Uint8Array): void {
    const at = this.end
    this.room(value.length)
    this.bytes.set(value, at)
  }

  /** Length in four bytes, then the bytes. */
  sized(value: Uint8Array): void {
    this.int(value.length)
    this.raw(value)
  }

  private room(length: number): DataView {
    if (this.end + length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.end + length))
      larger.set(this.bytes)
      this.bytes = larger
    }
    const view = new DataView(this.bytes.buffer, this.end, length)
    this.end += length
    return view
  }
}

/** Reads Java's DataInput; CORRUPT_FILE where the bytes end too early. */
export class JavaReader {
  private at = 0

  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at
  }

  byte(): number {
    return this.take(1).getInt8(0)
  }

  bool(): boolean {
    return this.byte() !== 0
  }

  int(): number {
    return this.take(4).getInt32(0)
  }

  long(): bigint {
    return this.take(8).getBigInt64(0)
  }

  utf(): string {
    return decodeText(this.raw(this.take(2).getUint16(0)), 'split')
  }

  raw(length: number): Uint8Array {
    const view = this.take(length)
    return new Uint8Array(view.buffer, view.byteOffset, length)
  }

  sized(): Uint8Array {
    return this.raw(this.int())
  }

  fail(what: string): never {
    throw new LakefoldError('CORRUPT_FILE', `split: ${what} at byte ${this.at}`, {
      context: { file: 'split', field: what, offset: this.at },
    })
  }

  private take(length: number): DataView {
    if (length < 0 || this.at + length > this.bytes.length) this.fail(`${length} bytes are missing`)
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, length)
    this.at += length
    return view
  }
}
