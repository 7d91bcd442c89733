// Paimon works of lakefold: the plan counts files; a read counts rows, and adds up columns where that is asked for.
import { sumsOf } from './sums.mjs'

const { openTable, releaseBatch } = await import(new URL('../../dist/index.js', import.meta.url).href)
const { PaimonCache, PaimonTable } = await import(new URL('../../dist/paimon.js', import.meta.url).href)

/** The table whose plans share a cache. */
let kept

async function plan(scan) {
  const { splits } = await scan.plan()
  return { check: splits.reduce((files, split) => files + split.dataFiles.length, 0) }
}

/** Does one request; the answer has `check`, and what else the work tells. */
export async function paimon(request) {
  const filtered = (scan) => (request.filter ? scan.filter(request.filter) : scan)
  if (request.work === 'plan-cached') {
    kept ??= await PaimonTable.open(request.metadata, { cache: new PaimonCache() })
    return plan(filtered(kept.scan()).option('scan.manifest-entry-cache.max-snapshots', '1'))
  }
  const scan = filtered((await openTable(request.metadata, { format: 'paimon' })).scan())
  if (request.work === 'plan') return plan(scan)
  const reader = await scan.toBatchReader({ numWorkers: request.threads ?? 2, ...(request.options ?? {}) })
  let check = 0
  let batches = 0
  const sums = request.sums?.map(() => 0n)
  for await (const batch of reader) {
    check += batch.numRows
    batches += 1
    if (sums) for (const [i, sum] of sumsOf(batch, request.sums).entries()) sums[i] += sum
    releaseBatch(batch)
  }
  return { check, batches, sums: sums?.map(String) }
}
