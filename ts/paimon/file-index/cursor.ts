import { corruptAt, type Place } from '../metadata/errors.js'

/** Reads big-endian values from bytes; nothing past the end, that is CORRUPT_FILE naming the place. */
export class Cursor {
  private readonly view: DataView
  at = 0

  constructor(
    readonly bytes: Uint8Array,
    readonly place: Place,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  private next(size: number): number {
    if (size < 0 || size > this.left) this.fail(`ends at byte ${this.bytes.length}, where ${size} more are needed`)
    const at = this.at
    this.at += size
    return at
  }

  byte(): number {
    return this.view.getInt8(this.next(1))
  }

  short(): number {
    return this.view.getInt16(this.next(2))
  }

  int(): number {
    return this.view.getInt32(this.next(4))
  }

  long(): bigint {
    return this.view.getBigInt64(this.next(8))
  }

  float(): number {
    return this.view.getFloat32(this.next(4))
  }

  double(): number {
    return this.view.getFloat64(this.next(8))
  }

  boolean(): boolean {
    return this.byte() !== 0
  }

  /** A count or length, which is never negative; one beyond the bytes that are left is an error where items take a byte at least. */
  count(): number {
    const count = this.int()
    return count >= 0 && count <= this.left
      ? count
      : this.fail(`has a count of ${count} where ${this.left} bytes are left`)
  }

  take(length: number): Uint8Array {
    const at = this.next(length)
    return this.bytes.subarray(at, at + length)
  }

  /** Text with a length of two bytes before it. */
  utf(): string {
    const length = this.view.getUint16(this.next(2))
    return Buffer.from(this.take(length)).toString('utf8')
  }

  /** A cursor over part of the bytes. */
  sub(start: number, length: number): Cursor {
    if (start < 0 || length < 0 || start + length > this.bytes.length) {
      this.fail(`has a part at bytes ${start} to ${start + length} of ${this.bytes.length}`)
    }
    return new Cursor(this.bytes.subarray(start, start + length), this.place)
  }

  fail(what: string): never {
    return corruptAt(this.place, what)
  }
}
