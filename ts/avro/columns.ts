import type { Read } from './read.js'
import { Tap } from './tap.js'

const NOTHING = new ArrayBuffer(0)
const EMPTY = new Uint8Array(0)

/** Integers of 32 bits, some of them null. */
export class IntColumn {
  constructor(
    private readonly values: Int32Array,
    private readonly nulls: Uint8Array,
  ) {}

  at(index: number): number | undefined {
    return this.nulls[index] === 1 ? undefined : this.values[index]
  }
}

/** Integers of 64 bits, some of them null. */
export class LongColumn {
  /** Low and high half of each value. */
  private readonly halves: Int32Array

  constructor(
    private readonly values: BigInt64Array,
    private readonly nulls: Uint8Array,
  ) {
    this.halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
  }

  has(index: number): boolean {
    return index < this.values.length && this.nulls[index] !== 1
  }

  at(index: number): bigint | undefined {
    return this.nulls[index] === 1 ? undefined : this.values[index]
  }

  /** The value as a number, NaN beyond 2^53: no bigint is made. */
  numberAt(index: number): number {
    const high = this.halves[2 * index + 1]!
    const value = high * 2 ** 32 + (this.halves[2 * index]! >>> 0)
    return Number.isSafeInteger(value) ? value : Number.NaN
  }
}

/** Text or bytes, some of them null. */
export class BlobColumn {
  private readonly data: Buffer

  constructor(
    private readonly offsets: Uint32Array,
    data: Uint8Array,
    private readonly nulls: Uint8Array,
  ) {
    this.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  }

  has(index: number): boolean {
    return index + 1 < this.offsets.length && this.nulls[index] !== 1
  }

  /** The bytes, which are not to be changed. */
  bytes(index: number): Uint8Array | undefined {
    return this.has(index) ? view(this.data, this.offsets[index]!, this.offsets[index + 1]!) : undefined
  }

  /** The text; the decoder has checked that it is UTF-8. */
  text(index: number): string | undefined {
    return this.has(index) ? this.data.toString('utf8', this.offsets[index]!, this.offsets[index + 1]!) : undefined
  }
}

/** Lists of integers, some of them null. */
export class ListColumn {
  constructor(
    private readonly offsets: Uint32Array,
    private readonly values: BigInt64Array,
    private readonly nulls: Uint8Array,
  ) {}

  has(index: number): boolean {
    return index + 1 < this.offsets.length && this.nulls[index] !== 1
  }

  at(index: number): bigint[] | undefined {
    if (!this.has(index)) return undefined
    return Array.from(this.values.subarray(this.offsets[index]!, this.offsets[index + 1]!))
  }
}

/** Maps from field ids to values, some of them null. */
export class MapColumn<T> {
  constructor(
    private readonly offsets: Uint32Array,
    private readonly keys: Int32Array,
    private readonly valueAt: (position: number) => T,
    private readonly nulls: Uint8Array,
  ) {}

  /** The value of a key; of several, the last. */
  get(index: number, key: number): T | undefined {
    if (this.nulls[index] === 1) return undefined
    for (let i = this.offsets[index + 1]! - 1; i >= this.offsets[index]!; i--) {
      if (this.keys[i] === key) return this.valueAt(i)
    }
    return undefined
  }

  at(index: number): ReadonlyMap<number, T> | undefined {
    if (index + 1 >= this.offsets.length || this.nulls[index] === 1) return undefined
    const map = new Map<number, T>()
    for (let i = this.offsets[index]!; i < this.offsets[index + 1]!; i++) map.set(this.keys[i]!, this.valueAt(i))
    return map
  }
}

/** Values in Avro's encoding, equal ones once. */
export class DistinctColumn {
  constructor(
    readonly codes: Int32Array,
    private readonly offsets: Uint32Array,
    private readonly data: Uint8Array,
  ) {}

  /** The distinct values in the order in which they came. */
  *values(): Generator<Uint8Array> {
    for (let i = 0; i + 1 < this.offsets.length; i++) yield view(this.data, this.offsets[i]!, this.offsets[i + 1]!)
  }
}

/** Values of which equal ones are one object, each made when it is first asked for. */
export class SharedColumn<T> {
  private readonly made: (T | typeof UNMADE)[]

  constructor(
    /** Which of the values each record has. */
    readonly codes: Int32Array,
    private readonly offsets: Uint32Array,
    private readonly data: Uint8Array,
    private readonly read: Read<T>,
    private readonly file: string,
  ) {
    this.made = new Array<typeof UNMADE>(Math.max(0, offsets.length - 1)).fill(UNMADE)
  }

  at(index: number): T {
    const code = this.codes[index]!
    const made = this.made[code] as T | typeof UNMADE
    if (made !== UNMADE) return made
    const value = this.read(new Tap(view(this.data, this.offsets[code]!, this.offsets[code + 1]!), this.file))
    this.made[code] = value
    return value
  }
}

const UNMADE = Symbol('a value that was not asked for')

function view(data: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset + start, end - start)
}

/** The buffer that the decoder makes (see `decode` in crates/manifest): columns by name, those that the writer lacks are all null. */
export class ColumnBuffer<Name extends string> {
  readonly length: number
  readonly byteLength: number
  private readonly buffer: ArrayBuffer
  private readonly start: number
  private readonly directory: Uint32Array

  constructor(
    bytes: Uint8Array,
    private readonly segments: ReadonlyMap<Name, number>,
  ) {
    // Where memory cannot be shared with the addon, small buffers lie anywhere in a pool.
    const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
    this.buffer = aligned.buffer as ArrayBuffer
    this.start = aligned.byteOffset
    this.byteLength = aligned.byteLength
    const [length, count] = new Uint32Array(this.buffer, this.start, 2) as unknown as [number, number]
    this.length = length
    this.directory = new Uint32Array(this.buffer, this.start + 8, 2 * count)
  }

  ints(name: Name): IntColumn {
    const at = this.segments.get(name)
    return at === undefined ? NO_INTS : new IntColumn(this.i32(at), this.u8(at + 1))
  }

  longs(name: Name): LongColumn {
    const at = this.segments.get(name)
    return at === undefined ? NO_LONGS : new LongColumn(this.i64(at), this.u8(at + 1))
  }

  blobs(name: Name): BlobColumn {
    const at = this.segments.get(name)
    return at === undefined ? NO_BLOBS : new BlobColumn(this.u32(at), this.u8(at + 1), this.u8(at + 2))
  }

  lists(name: Name): ListColumn {
    const at = this.segments.get(name)
    return at === undefined ? NO_LISTS : new ListColumn(this.u32(at), this.i64(at + 1), this.u8(at + 2))
  }

  longMaps(name: Name): MapColumn<bigint> {
    const at = this.segments.get(name)
    if (at === undefined) return NO_MAPS
    const values = this.i64(at + 2)
    return new MapColumn(this.u32(at), this.i32(at + 1), (i) => values[i]!, this.u8(at + 3))
  }

  bytesMaps(name: Name): MapColumn<Uint8Array> {
    const at = this.segments.get(name)
    if (at === undefined) return NO_MAPS
    const values = new BlobColumn(this.u32(at + 2), this.u8(at + 3), EMPTY)
    return new MapColumn(this.u32(at), this.i32(at + 1), (i) => values.bytes(i)!, this.u8(at + 4))
  }

  distinct(name: Name): DistinctColumn | undefined {
    const at = this.segments.get(name)
    return at === undefined ? undefined : new DistinctColumn(this.i32(at), this.u32(at + 1), this.u8(at + 2))
  }

  /** As {@link distinct}, its values made by `read`; `file` is named in errors. */
  shared<T>(name: Name, read: Read<T>, file: string): SharedColumn<T> | undefined {
    const at = this.segments.get(name)
    if (at === undefined) return undefined
    return new SharedColumn(this.i32(at), this.u32(at + 1), this.u8(at + 2), read, file)
  }

  private i32(segment: number): Int32Array {
    return new Int32Array(this.buffer, this.from(segment), this.size(segment) / 4)
  }

  private u32(segment: number): Uint32Array {
    return new Uint32Array(this.buffer, this.from(segment), this.size(segment) / 4)
  }

  private i64(segment: number): BigInt64Array {
    return new BigInt64Array(this.buffer, this.from(segment), this.size(segment) / 8)
  }

  private u8(segment: number): Uint8Array {
    const size = this.size(segment)
    return size === 0 ? EMPTY : new Uint8Array(this.buffer, this.from(segment), size)
  }

  private from(segment: number): number {
    return this.start + this.directory[2 * segment]!
  }

  private size(segment: number): number {
    return this.directory[2 * segment + 1]!
  }
}

const NO_OFFSETS = new Uint32Array(0)
const NO_INTS = new IntColumn(new Int32Array(0), EMPTY)
const NO_LONGS = new LongColumn(new BigInt64Array(NOTHING), EMPTY)
const NO_BLOBS = new BlobColumn(NO_OFFSETS, EMPTY, EMPTY)
const NO_LISTS = new ListColumn(NO_OFFSETS, new BigInt64Array(0), EMPTY)
const NO_MAPS: MapColumn<never> = new MapColumn(
  NO_OFFSETS,
  new Int32Array(0),
  () => {
    throw new RangeError('no value')
  },
  EMPTY,
)
