// `npm run bench [-- --help]`: times lakefold beside its peers, interleaved, in one run.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Peer } from './peers.mjs'
import { besidePaimon, dataFiles, makePaimonTable, makeTable, metadata, paimonTable, root, setUp } from './setup.mjs'
import { works } from './works.mjs'

const given = parseArgs({
  options: {
    only: { type: 'string' },
    without: { type: 'string' },
    runs: { type: 'string' },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
}).values
if (given.help) {
  console.log('npm run bench -- [--only NAME,..] [--without PEER,..] [--quick] [--runs N] [--json FILE]')
  console.log(`NAME: ${works.map(({ name }) => name).join(', ')}`)
  process.exit(0)
}
const { quick } = given
const runs = Number(given.runs ?? (quick ? 3 : 5))
const only = given.only?.split(',')
const without = new Set(given.without?.split(',') ?? [])

const chosen = works
  .filter((work) => !only || only.some((name) => work.name === name || work.name.startsWith(`${name} `)))
  .map((work) => ({
    ...work,
    peers: work.peers.filter((peer) => !without.has(peer) && !(quick && work.slow?.includes(peer))),
  }))

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]
const text = (ms) => (ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(1)} ms`)
const mib = (bytes) => (bytes ? `${Math.round(bytes / 2 ** 20)} MiB` : '-')

function location(work, peer) {
  if (!work.paimon) return metadata(work.table)
  return peer === 'as iceberg' ? besidePaimon(work.table) : paimonTable(work.table)
}

function request(work, peer, round) {
  return {
    work: work.work,
    metadata: location(work, peer),
    paimon: work.paimon === true && peer !== 'as iceberg',
    sums: round === 0 ? work.sums : undefined,
    files: ['bare', 'hyparquet'].some((peer) => work.peers.includes(peer)) ? dataFiles(work.table) : undefined,
    filter: work.filter ?? null,
    select: work.select ?? null,
    threads: work.threads ?? 2,
    options: work.options,
    release: work.release,
  }
}

/** Runs of a short work make a peer warm only when they are many: Java and V8 compile what has run often. */
const WARM_MS = 1500
const MOST_WARM_RUNS = 40

/** Runs until the peer is warm, of a slow one only the first; the sums of that one are kept. */
async function warm(entry, ask) {
  const most = entry.slow ? 1 : MOST_WARM_RUNS
  let spent = 0
  for (let i = 0; i < most && spent < WARM_MS && !entry.answer?.error; i++) {
    entry.answer = await ask(entry, i)
    if (i === 0) entry.sums = entry.answer.sums ?? undefined
    spent += entry.answer.ms ?? 0
  }
}

/** Each peer made warm, then the peers in turn, so that a slow spell of the machine meets all of them. */
async function measure(work) {
  const peers = work.peers.map((name) => ({
    peer: new Peer(name),
    name,
    slow: work.slow?.includes(name) === true,
    times: [],
    answer: undefined,
  }))
  const ask = (entry, round) => entry.peer.ask(request(work, entry.name, round))
  try {
    for (const entry of peers) {
      await warm(entry, ask)
      // Of a slow peer the one run there is counts.
      if (entry.slow && !entry.answer.error) entry.times.push(entry.answer.ms)
      entry.peak = entry.answer.peak
    }
    for (let round = 1; round <= runs; round++) {
      for (const entry of peers) {
        if (entry.answer.error || entry.slow) continue
        entry.answer = await ask(entry, round)
        if (entry.answer.error) continue
        entry.times.push(entry.answer.ms)
        entry.peak = Math.max(entry.peak ?? 0, entry.answer.peak ?? 0)
      }
    }
  } finally {
    for (const { peer } of peers) peer.stop()
  }
  return peers
}

function report(work, peers) {
  const answered = peers.filter((p) => !p.answer.error && p.name !== 'hyparquet')
  const checks = new Set(answered.map((p) => [p.answer.check, ...(p.sums ?? [])].join(' ')))
  const ours = peers.find((p) => p.name === 'lakefold')
  const base = ours && !ours.answer.error ? median(ours.times) : undefined
  const rows = peers.map((p) => {
    if (p.answer.error) return { work: work.name, peer: p.name, error: p.answer.error }
    // hyparquet reads one of the files; the figure is scaled to all of them.
    const scale = p.name === 'hyparquet' ? dataFiles(work.table).length : 1
    const ms = median(p.times) * scale
    const spread = [Math.min(...p.times) * scale, Math.max(...p.times) * scale]
    return {
      work: work.name,
      peer: p.name,
      ms,
      spread,
      ratio: base && base / ms,
      peak: p.peak,
      check: p.answer.check,
      extra: p.answer,
    }
  })
  for (const row of rows) {
    const cells = row.error
      ? [row.error.slice(0, 60)]
      : [
          text(row.ms).padStart(10),
          `${text(row.spread[0])}..${text(row.spread[1])}`.padStart(22),
          row.ratio ? row.ratio.toFixed(2).padStart(6) : '',
          mib(row.peak).padStart(9),
          (row.extra.base ? mib(row.peak - row.extra.base) : '').padStart(9),
          (row.extra.mainMsPerBatch ? `${row.extra.mainMsPerBatch.toFixed(2)} ms` : '').padStart(9),
        ]
    console.log([row.work.padEnd(18), row.peer.padEnd(13), ...cells].join('  '))
  }
  if (checks.size > 1) console.log(`${work.name}: THE ANSWERS DIFFER: ${[...checks].join(' | ')}`)
  return { rows, agree: checks.size <= 1 }
}

if (!existsSync(join(root, 'dist', 'index.js'))) execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' })
setUp(new Set(chosen.flatMap((work) => work.peers)), { paimon: chosen.some((work) => work.paimon) })
for (const work of chosen) (work.paimon ? makePaimonTable : makeTable)(work.table)

console.log(
  `${cpus().length} cores, ${cpus()[0]?.model}, node ${process.version}; medians of ${runs} warm runs, interleaved; ratio = lakefold / peer`,
)
console.log(
  [
    'work'.padEnd(22),
    'peer'.padEnd(13),
    'median'.padStart(10),
    'min..max'.padStart(22),
    'ratio'.padStart(6),
    'peak'.padStart(9),
    'over base'.padStart(9),
    'main/batch'.padStart(9),
  ].join('  '),
)
const all = []
let agree = true
for (const work of chosen) {
  const result = report(work, await measure(work))
  all.push(...result.rows)
  agree &&= result.agree
}
if (given.json) writeFileSync(given.json, JSON.stringify(all, null, 2))
process.exit(agree ? 0 : 1)
