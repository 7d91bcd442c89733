import { LakefoldError } from '../base/errors.js'

/** Short values share buffers of this size: an ArrayBuffer for each costs more than reading it. */
const SLAB_BYTES = 16 * 1024
const MAX_SLAB_VALUE = 1024
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads Avro's binary encoding (Avro specification, "Binary Encoding") from bytes in memory. Nothing is read past the end and no length
 * in the data makes it allocate more than the bytes that are there: both are CORRUPT_FILE naming the file.
 */
export class Tap {
  pos = 0
  readonly end: number
  private readonly buf: Buffer
  private slab = new Uint8Array(0)
  private slabUsed = 0

  constructor(
    bytes: Uint8Array,
    readonly file: string,
  ) {
    this.buf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.end = bytes.byteLength
  }

  get left(): number {
    return this.end - this.pos
  }

  /** A 32-bit zig-zag integer. */
  int(): number {
    const value = this.varint()
    if ((value | 0) !== value) this.fail(`the integer ${value} has more than 32 bits`)
    return value
  }

  /** A zig-zag integer that must be exact as a number: a length or count. */
  private varint(): number {
    const { buf, end } = this
    let { pos } = this
    let byte: number
    let value = 0
    let scale = 1
    do {
      if (pos >= end) this.fail('it ends inside an integer')
      byte = buf[pos++]!
      value += (byte & 0x7f) * scale
      scale *= 128
    } while (byte > 0x7f && scale < 2 ** 49)
    if (byte > 0x7f) this.fail('an integer has too many bytes')
    this.pos = pos
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** A 64-bit zig-zag integer. */
  long(): bigint {
    const { buf, end, pos: start } = this
    let pos = start
    let low = 0
    let scale = 1
    // Seven bytes fit a double exactly; nearly every value ends there.
    for (let i = 0; i < 7; i++) {
      if (pos >= end) this.fail('it ends inside an integer')
      const byte = buf[pos++]!
      low += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.pos = pos
        return BigInt(low % 2 === 0 ? low / 2 : -(low + 1) / 2)
      }
      scale *= 128
    }
    let high = 0
    for (let i = 0; i < 3; i++) {
      if (pos >= end) this.fail('it ends inside an integer')
      const byte = buf[pos++]!
      high += (byte & 0x7f) * 128 ** i
      if (byte < 0x80) {
        if (i === 2 && byte > 1) break
        this.pos = pos
        const raw = (BigInt(high) << 49n) | BigInt(low)
        return (raw >> 1n) ^ -(raw & 1n)
      }
    }
    return this.fail('an integer has more than 64 bits')
  }

  skipVarint(): void {
    const { buf, end } = this
    let { pos } = this
    const limit = pos + 10
    do {
      if (pos >= end) this.fail('it ends inside an integer')
      if (pos === limit) this.fail('an integer has more than 64 bits')
    } while (buf[pos++]! > 0x7f)
    this.pos = pos
  }

  /** Passes over `count` integers. */
  skipVarints(count: number): void {
    const { buf, end } = this
    let { pos } = this
    let left = count
    while (left > 0) {
      if (pos >= end) this.fail('it ends inside an integer')
      if (buf[pos++]! < 0x80) left--
    }
    this.pos = pos
  }

  boolean(): boolean {
    this.need(1)
    const byte = this.buf[this.pos++]!
    if (byte > 1) this.fail(`a boolean is ${byte}`)
    return byte === 1
  }

  float(): number {
    this.need(4)
    const value = this.buf.readFloatLE(this.pos)
    this.pos += 4
    return value
  }

  double(): number {
    this.need(8)
    const value = this.buf.readDoubleLE(this.pos)
    this.pos += 8
    return value
  }

  /** A length, checked against the bytes that are left. */
  length(): number {
    const length = this.varint()
    if (length < 0 || length > this.left) this.fail(`a length of ${length} where ${this.left} bytes are left`)
    return length
  }

  /** The next bytes, copied: they do not keep the block alive. */
  fixed(size: number): Uint8Array {
    this.need(size)
    const source = this.buf.subarray(this.pos, this.pos + size)
    this.pos += size
    if (size > MAX_SLAB_VALUE) return new Uint8Array(source)
    if (size > this.slab.length - this.slabUsed) {
      this.slab = new Uint8Array(SLAB_BYTES)
      this.slabUsed = 0
    }
    const copy = this.slab.subarray(this.slabUsed, this.slabUsed + size)
    copy.set(source)
    this.slabUsed += size
    return copy
  }

  /** The next bytes, not copied. */
  view(size: number): Uint8Array {
    this.need(size)
    const start = this.pos
    this.pos += size
    return this.buf.subarray(start, this.pos)
  }

  bytes(): Uint8Array {
    return this.fixed(this.length())
  }

  string(): string {
    const length = this.length()
    const start = this.pos
    this.pos += length
    const text = this.buf.toString('utf8', start, this.pos)
    if (text.includes('\ufffd')) {
      try {
        return STRICT_UTF8.decode(this.buf.subarray(start, this.pos))
      } catch {
        this.fail('a string is not UTF-8')
      }
    }
    return text
  }

  skip(size: number): void {
    this.need(size)
    this.pos += size
  }

  /**
   * The count of the next block of an array or map, 0 at its end. Items take a byte at least in every schema of a manifest,
   * so that a greater count than the bytes left is a broken one.
   */
  blockCount(): number {
    let count = this.varint()
    if (count < 0) {
      count = -count
      this.length()
    }
    if (count > this.left) this.fail(`a block of ${count} items where ${this.left} bytes are left`)
    return count
  }

  private need(size: number): void {
    if (size > this.left) this.fail(`it ends where ${size} more bytes should be`)
  }

  fail(what: string): never {
    throw new LakefoldError('CORRUPT_FILE', `${this.file} is damaged: ${what}`, {
      context: { file: this.file, position: this.pos },
    })
  }
}
