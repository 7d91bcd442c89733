import type { PaimonType } from '../metadata/types.js'
import type { Cursor } from './cursor.js'
import { longHash, xxHash64 } from './hash64.js'
import type { Key } from './key.js'

/** A Bloom filter over a column's values that are not null. */
export class BloomIndex {
  private readonly hashes: number
  private readonly bits: Uint8Array

  constructor(
    private readonly type: PaimonType,
    body: Cursor,
  ) {
    body.at = 0
    this.hashes = body.int()
    this.bits = body.take(body.left)
    // As many hashes as bits would say nothing at any size.
    if (this.hashes < 1 || this.hashes > this.bits.length * 8) {
      body.fail(`has ${this.hashes} hash functions over ${this.bits.length} bytes`)
    }
  }

  /** Whether a value may be there; false is certain. Undefined for types that such an index does not take. */
  mayHave(key: Key): boolean | undefined {
    const hash = keyHash(this.type, key)
    if (hash === undefined) return undefined
    const low = Number(BigInt.asIntN(32, hash))
    const high = Number(BigInt.asIntN(32, hash >> 32n))
    for (let i = 1; i <= this.hashes; i++) {
      let combined = (low + Math.imul(i, high)) | 0
      if (combined < 0) combined = ~combined
      const bit = combined % (this.bits.length * 8)
      if (((this.bits[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false
    }
    return true
  }
}

const scratch = new DataView(new ArrayBuffer(8))

function keyHash(type: PaimonType, key: Key): bigint | undefined {
  switch (type.kind) {
    case 'char':
    case 'varchar':
    case 'binary':
    case 'varbinary':
      return xxHash64(key as Uint8Array)
    case 'float':
      scratch.setFloat32(0, key as number)
      return longHash(BigInt(scratch.getInt32(0)))
    case 'double':
      scratch.setFloat64(0, key as number)
      return longHash(scratch.getBigInt64(0))
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'bigint':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamp_ltz':
      return longHash(key as bigint)
    default:
      return undefined
  }
}
