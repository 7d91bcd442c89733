const SEED = 42

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

/** The signed 32-bit Murmur3 hash with seed 42 of a row image, whose length is a multiple of four. */
export function rowHash(image: Uint8Array): number {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength)
  let hash = SEED
  for (let at = 0; at + 4 <= image.length; at += 4) {
    let word = Math.imul(view.getInt32(at, true), 0xcc9e2d51)
    word = Math.imul(rotate(word, 15), 0x1b873593)
    hash = (Math.imul(rotate(hash ^ word, 13), 5) + 0xe6546b64) | 0
  }
  hash ^= image.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
