// How planning grows with the table: plans of snapshots of plan_200x500, each of which added 500 files, and of
// plan_200x5000, a million files. A process for each size.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openTable } from '../dist/index.js'
import { makeTable, setUp } from './setup.mjs'

const SIZES = [1_000, 10_000, 50_000, 100_000, 1_000_000]
const RUNS = 9
const MIB = 2 ** 20

/** The table that has a snapshot of that many files, and how many files each of its snapshots added. */
function tableOf(files) {
  const [name, added] = files <= 100_000 ? ['plan_200x500', 500] : ['plan_200x5000', 5000]
  return { name, added, path: fileURLToPath(new URL(`../.cache/bench/tables/${name}`, import.meta.url)) }
}

/** Times plans of one size in this process. */
async function measure(files) {
  const { path, added } = tableOf(files)
  const times = []
  let peak
  const base = process.memoryUsage.rss()
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    const opened = await openTable(path)
    const { snapshotId } = opened.metadata.snapshots[files / added - 1]
    const tasks = await opened.scan().useSnapshot(snapshotId).planFiles()
    times.push(performance.now() - start)
    if (tasks.length !== files) throw new Error(`${tasks.length} files were planned, not ${files}`)
    peak ??= process.resourceUsage().maxRSS * 1024
  }
  times.sort((a, b) => a - b)
  const [least, median] = [times[0], times[RUNS >> 1]].map((ms) => ms.toFixed(1))
  console.log(`| ${files} | ${least} ms | ${median} ms | ${((peak - base) / MIB).toFixed(0)} MiB |`)
}

const [size] = process.argv.slice(2)
if (size !== undefined) await measure(Number(size))
else {
  setUp(new Set(['java']), {})
  for (const files of SIZES) makeTable(tableOf(files).name)
  console.log('| files | least | median | first plan, over base |\n| --- | --- | --- | --- |')
  for (const files of SIZES) {
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(files)], { stdio: 'inherit' })
  }
}
