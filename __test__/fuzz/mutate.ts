/** A small generator of numbers, so that a seed names a mutation (Mulberry32). */
export class Random {
  #state: number
  constructor(seed: number) {
    this.#state = seed >>> 0
  }
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * end)
  }
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}

export type Mutation = 'flip' | 'byte' | 'truncate' | 'zero' | 'copy' | 'huge' | 'insert'
export const MUTATIONS: readonly Mutation[] = ['flip', 'byte', 'truncate', 'zero', 'copy', 'huge', 'insert']

/** Values that break readers which trust lengths. */
const HUGE = [
  [0xff, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0x7f],
  [0x00, 0x00, 0x00, 0x80],
  [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
] as const

/** `bytes` damaged in one way; near the end in half of the cases, since that is where footers are. */
export function mutate(bytes: Buffer, how: Mutation, random: Random): Buffer {
  const out = Buffer.from(bytes)
  if (out.length === 0) return Buffer.from([random.below(256)])
  const at = random.below(2) === 0 ? random.below(out.length) : Math.max(0, out.length - 1 - random.below(600))
  switch (how) {
    case 'flip':
      out[at] = (out[at] as number) ^ (1 << random.below(8))
      return out
    case 'byte':
      for (let i = 0; i <= random.below(4); i++) out[Math.min(at + i, out.length - 1)] = random.below(256)
      return out
    case 'truncate':
      return out.subarray(0, at)
    case 'zero':
      return out.fill(0, at, Math.min(out.length, at + 1 + random.below(64)))
    case 'copy':
      out.copyWithin(at, random.below(out.length), random.below(out.length))
      return out
    case 'huge':
      Buffer.from(random.pick(HUGE)).copy(out, at)
      return out
    default:
      return Buffer.concat([out.subarray(0, at), Buffer.from([random.below(256)]), out.subarray(at)])
  }
}
