// lakefold behind the line protocol of the bench: a JSON request a line in, a JSON answer a line out.

import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { sumsOf } from './sums.mjs'

const imported = performance.now()
const { openTable, ManifestCache, releaseBatch } = await import(new URL('../../dist/index.js', import.meta.url).href)
const importMs = performance.now() - imported

const cache = new ManifestCache()
const tables = new Map()

async function opened(path) {
  if (!tables.has(path)) tables.set(path, await openTable(path))
  return tables.get(path)
}

/** What every worker thread costs an idle process: part of the base that a read's memory is measured over. */
let base

/** Resident bytes of the process with its pool up, before anything is read. */
async function baseline(path) {
  if (base !== undefined) return
  const reader = await (await openTable(path)).scan().toBatchReader({ limit: 0 })
  await reader.close()
  base = process.memoryUsage.rss()
}

/** Time of the main thread for each batch: to claim it and to assemble its record batch, and all else it does. */
function perBatch(active, batches) {
  return batches > 0 ? active / batches : undefined
}

async function run(request) {
  if (request.paimon) {
    const { paimon } = await import('./paimon.mjs')
    const start = performance.now()
    return { ...(await paimon(request)), ms: performance.now() - start }
  }
  // `count` is timed from an opened table; everything else opens it anew, as the peers do.
  const table = request.work === 'count' || request.work === 'plan-cached' ? await opened(request.metadata) : undefined
  const start = performance.now()
  const target = table ?? (await openTable(request.metadata))
  let scan = target.scan()
  if (request.filter) scan = scan.filter(request.filter)
  if (request.select) scan = scan.select(...request.select)
  let check = 0
  let batches = 0
  const sums = request.sums?.map(() => 0n)
  if (request.work === 'count') check = Number(await scan.count())
  else if (request.work === 'plan') check = (await scan.planFiles()).length
  else if (request.work === 'plan-cached') check = (await scan.planFilesWith(cache)).length
  else {
    const reader = await scan.toBatchReader({ numWorkers: request.threads ?? 2, ...(request.options ?? {}) })
    for await (const batch of reader) {
      check += batch.numRows
      batches += 1
      if (sums) for (const [i, sum] of sumsOf(batch, request.sums).entries()) sums[i] += sum
      // As a peer's loop drops its batch; without it memory waits for V8's collector.
      if (request.release !== false) releaseBatch(batch)
    }
  }
  return { ms: performance.now() - start, check, batches, sums: sums?.map(String) }
}

function peak() {
  return process.resourceUsage().maxRSS * 1024
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  try {
    await baseline(request.metadata)
    const cpu = performance.eventLoopUtilization()
    const { ms, check, batches, sums } = await run(request)
    const { active } = performance.eventLoopUtilization(cpu)
    console.log(
      JSON.stringify({
        ms,
        check,
        sums,
        peak: peak(),
        importMs,
        base,
        mainThreadMs: active,
        mainMsPerBatch: perBatch(active, batches),
        batches,
      }),
    )
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.message ?? error).slice(0, 300) }))
  }
}
process.exit(0)
