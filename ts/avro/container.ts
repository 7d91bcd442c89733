import { LakefoldError } from '../base/errors.js'
import { avroCodec } from './codecs.js'
import { type AvroSchema, minBytes, parseAvroSchema } from './schema.js'
import { Tap } from './tap.js'

/** Most bytes that one block may decompress to, unless told otherwise. */
const DEFAULT_MAX_BLOCK_BYTES = 256 * 1024 * 1024

const MAGIC = [0x4f, 0x62, 0x6a, 0x01]
const SYNC_BYTES = 16

export interface AvroBlock {
  readonly count: number
  /** The decompressed records. */
  readonly data: Uint8Array
}

/** Blocks of a container that follow each other. */
export interface AvroPart {
  readonly bytes: Uint8Array
  /** Where in the file they begin. */
  readonly offset: number
}

/** An Avro object container file (Avro specification, "Object Container Files") in memory, its header read. */
export class AvroContainer {
  /** The header's metadata, `avro.schema` and `avro.codec` included. */
  readonly metadata: ReadonlyMap<string, Uint8Array>
  /** The header's sync marker, which the blocks follow. */
  readonly sync: Uint8Array
  /** All blocks. */
  readonly all: AvroPart

  /**
   * CORRUPT_FILE naming `file` if the header is not whole.
   *
   * @param settled whether nobody changes the bytes any more, so that threads may read them where they are
   */
  constructor(
    private readonly bytes: Uint8Array,
    readonly file: string,
    readonly settled = false,
  ) {
    const tap = new Tap(bytes, file)
    if (bytes.length < MAGIC.length || MAGIC.some((byte, i) => bytes[i] !== byte)) {
      throw new LakefoldError('CORRUPT_FILE', `${file} is not an Avro file: it does not begin with its magic bytes`, {
        context: { file, size: bytes.length },
      })
    }
    tap.skip(MAGIC.length)
    const metadata = new Map<string, Uint8Array>()
    for (let count = tap.blockCount(); count > 0; count = tap.blockCount()) {
      for (let i = 0; i < count; i++) metadata.set(tap.string(), tap.bytes())
    }
    this.metadata = metadata
    this.sync = tap.view(SYNC_BYTES)
    this.all = { bytes: bytes.subarray(tap.pos), offset: tap.pos }
  }

  /** A value of the header's metadata as text. */
  text(key: string): string | undefined {
    const value = this.metadata.get(key)
    return value === undefined ? undefined : new TextDecoder().decode(value)
  }

  /** The writer's schema as JSON text. */
  schemaText(): string {
    return this.text('avro.schema') ?? this.fail('its header has no schema')
  }

  /** Parses the writer's schema. */
  schema(): AvroSchema {
    return parseAvroSchema(this.schemaText(), this.file)
  }

  /** The codec of the blocks by its name in the header. */
  get codec(): string {
    return this.text('avro.codec') ?? 'null'
  }

  /** The least bytes of a record; CORRUPT_FILE if that is none. */
  recordBytes(schema: AvroSchema): number {
    return minBytes(schema) || this.fail('its records have no bytes')
  }

  /** The blocks in parts of `size` bytes or, where a block ends later, somewhat more; the last may have fewer. CORRUPT_FILE as {@link blocks}. */
  parts(size: number): readonly AvroPart[] {
    if (this.all.bytes.length <= size) return [this.all]
    const parts: AvroPart[] = []
    const tap = this.blockTap()
    let offset = tap.pos
    while (tap.left > 0) {
      tap.skipVarint()
      tap.skip(tap.length() + SYNC_BYTES)
      if (tap.pos - offset < size && tap.left > 0) continue
      parts.push({ bytes: this.bytes.subarray(offset, tap.pos), offset })
      offset = tap.pos
    }
    return parts
  }

  /**
   * The blocks in order. A sync marker that differs, a count or size that the bytes do not bear out, and a file that ends inside a block
   * are CORRUPT_FILE; a codec that is not known is UNSUPPORTED; a block that is
   * larger than `maxBlockBytes` is LIMIT_EXCEEDED.
   */
  *blocks(schema: AvroSchema, maxBlockBytes = DEFAULT_MAX_BLOCK_BYTES): Generator<AvroBlock> {
    const decompress = avroCodec(this.codec, this.file)
    const recordBytes = this.recordBytes(schema)
    const tap = this.blockTap()
    while (tap.left > 0) {
      const start = tap.pos
      const count = Number(tap.long())
      const packed = tap.view(tap.length())
      if (Buffer.compare(tap.view(SYNC_BYTES), this.sync) !== 0) {
        throw this.corrupt(`the sync marker after the block at byte ${start} is not that of the header`)
      }
      let data: Uint8Array
      try {
        data = decompress(packed, maxBlockBytes)
      } catch (cause) {
        throw this.undecodable(cause, start, maxBlockBytes)
      }
      if (count < 0 || count * recordBytes > data.length) {
        throw this.corrupt(`the block at byte ${start} has ${data.length} bytes, too few for ${count} records`)
      }
      yield { count, data }
    }
  }

  /** Reads from where the blocks begin. */
  private blockTap(): Tap {
    const tap = new Tap(this.bytes, this.file)
    tap.skip(this.all.offset)
    return tap
  }

  private undecodable(cause: unknown, start: number, limit: number): LakefoldError {
    const code = (cause as { code?: string }).code
    if (code === 'NATIVE_LOAD_FAILED') return cause as LakefoldError
    if (code === 'ERR_BUFFER_TOO_LARGE' || code === 'LIMIT_EXCEEDED') {
      const message = `${this.file}: the block at byte ${start} decompresses to more than ${limit} bytes`
      return new LakefoldError('LIMIT_EXCEEDED', message, { context: { file: this.file, limit }, cause })
    }
    return this.corrupt(`the block at byte ${start} cannot be decompressed (${(cause as Error).message})`, cause)
  }

  private fail(what: string): never {
    throw this.corrupt(what)
  }

  private corrupt(what: string, cause?: unknown): LakefoldError {
    return new LakefoldError('CORRUPT_FILE', `${this.file} is damaged: ${what}`, {
      context: { file: this.file },
      cause,
    })
  }
}
