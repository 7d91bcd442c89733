const MASK = (1n << 64n) - 1n
const PRIME1 = 0x9e3779b185ebca87n
const PRIME2 = 0xc2b2ae3d27d4eb4fn
const PRIME3 = 0x165667b19e3779f9n
const PRIME4 = 0x85ebca77c2b2ae63n
const PRIME5 = 0x27d4eb2f165667c5n

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK
}

function round(lane: bigint, word: bigint): bigint {
  return (rotate((lane + word * PRIME2) & MASK, 31n) * PRIME1) & MASK
}

/** The xxHash64 of bytes with seed 0, unsigned. */
export function xxHash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let hash: bigint
  if (bytes.length >= 32) {
    const lanes = [(PRIME1 + PRIME2) & MASK, PRIME2, 0n, (MASK + 1n - PRIME1) & MASK] as [
      bigint,
      bigint,
      bigint,
      bigint,
    ]
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) lanes[i] = round(lanes[i] as bigint, view.getBigUint64(at + i * 8, true))
    }
    hash = rotate(lanes[0], 1n) + rotate(lanes[1], 7n) + rotate(lanes[2], 12n) + rotate(lanes[3], 18n)
    for (const lane of lanes) hash = (((hash & MASK) ^ round(0n, lane)) * PRIME1 + PRIME4) & MASK
  } else hash = PRIME5
  hash = (hash + BigInt(bytes.length)) & MASK
  for (; at + 8 <= bytes.length; at += 8) {
    hash = (rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * PRIME1 + PRIME4) & MASK
  }
  if (at + 4 <= bytes.length) {
    hash = (rotate(hash ^ ((BigInt(view.getUint32(at, true)) * PRIME1) & MASK), 23n) * PRIME2 + PRIME3) & MASK
    at += 4
  }
  for (; at < bytes.length; at++) {
    hash = (rotate(hash ^ ((BigInt(bytes[at] as number) * PRIME5) & MASK), 11n) * PRIME1) & MASK
  }
  hash = ((hash ^ (hash >> 33n)) * PRIME2) & MASK
  hash = ((hash ^ (hash >> 29n)) * PRIME3) & MASK
  return hash ^ (hash >> 32n)
}

/** Thomas Wang's mix of a long, signed as Java's shifts are. */
export function longHash(value: bigint): bigint {
  const signed = (one: bigint): bigint => BigInt.asIntN(64, one)
  let key = signed(~value + (value << 21n))
  key ^= key >> 24n
  key = signed(key + (key << 3n) + (key << 8n))
  key ^= key >> 14n
  key = signed(key + (key << 2n) + (key << 4n))
  key ^= key >> 28n
  return signed(key + (key << 31n))
}
