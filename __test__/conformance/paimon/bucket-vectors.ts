import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { canonical } from '../json.js'
import type { BucketVector, PaimonEngine } from './engine.js'

interface Vector {
  readonly value: readonly unknown[]
  readonly binaryRow?: string
  readonly hash?: number
  readonly buckets?: { readonly [count: string]: number }
  readonly error?: string
}

interface VectorFile {
  readonly single: readonly { readonly types: readonly string[]; readonly vectors: readonly Vector[] }[]
  readonly multi: VectorFile['single']
  readonly nanBits: readonly (Vector & { readonly type: string; readonly bits: string })[]
  readonly otherFunctions: readonly {
    readonly function: 'mod' | 'hive'
    readonly types: readonly string[]
    readonly vectors: readonly Vector[]
  }[]
}

/** Bucket keys with their bytes, hash and buckets; the problems found. */
export async function runBucketVectors(folder: string, engine: PaimonEngine): Promise<string[]> {
  const file = JSON.parse(readFileSync(join(folder, 'bucket-vectors.json'), 'utf8')) as VectorFile
  const problems: string[] = []
  const check = async (vector: Vector, asked: Omit<BucketVector, 'counts' | 'value'>) => {
    const counts = Object.keys(vector.buckets ?? { 4: 0 }).map(Number)
    const found = await engine.bucket({ ...asked, value: vector.value, counts })
    const differ = (what: string, wanted: unknown, got: unknown) => {
      if (wanted === undefined || canonical(wanted) === canonical(got)) return
      problems.push(
        `${asked.function} of ${asked.types.join(', ')} ${canonical(vector.value)}: ${what} ${canonical(got)}, not ${canonical(wanted)}`,
      )
    }
    differ('bytes', vector.binaryRow, found.binaryRow)
    differ('hash', vector.hash, found.hash)
    const none = counts.map(() => null)
    differ('buckets', vector.error === undefined ? counts.map((n) => vector.buckets?.[n]) : none, found.buckets)
  }
  for (const { types, vectors } of [...file.single, ...file.multi]) {
    for (const vector of vectors) await check(vector, { function: 'default', types })
  }
  for (const vector of file.nanBits) {
    await check(vector, { function: 'default', types: [vector.type], bits: vector.bits })
  }
  for (const { function: name, types, vectors } of file.otherFunctions) {
    for (const vector of vectors) await check(vector, { function: name, types })
  }
  return problems
}

/** Whether a folder has bucket vectors. */
export function hasBucketVectors(folder: string): boolean {
  return existsSync(join(folder, 'bucket-vectors.json'))
}
