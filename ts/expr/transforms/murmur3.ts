const C1 = 0xcc9e2d51
const C2 = 0x1b873593

function mix(k: number): number {
  const product = Math.imul(k, C1)
  return Math.imul((product << 15) | (product >>> 17), C2)
}

/** MurmurHash3 x86 32-bit with seed 0, as a signed integer (Iceberg spec, Appendix B). */
export function murmur3(bytes: Uint8Array): number {
  const length = bytes.length
  const blocks = length - (length % 4)
  let h = 0
  for (let i = 0; i < blocks; i += 4) {
    const k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    h ^= mix(k)
    h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0
  }
  let tail = 0
  for (let i = length - 1; i >= blocks; i--) tail = (tail << 8) | bytes[i]!
  if (length !== blocks) h ^= mix(tail)
  h ^= length
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
