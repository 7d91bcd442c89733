import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import type { JobOptions } from './jobs.js'
import { LakefoldEngine } from './lakefold-engine.js'
import { LakefoldPaimonEngine } from './paimon/lakefold-engine.js'
import { isPaimonFolder, runPaimon } from './paimon/run-all.js'
import { runAll } from './run-all.js'

const USAGE = 'usage: npm run conformance -- [folder] [--json] [--only <id>] [--workers 1,2,4]'
const BUNDLED = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/iceberg')

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, only: { type: 'string', multiple: true }, workers: { type: 'string' } },
  })
  const workers = (values.workers ?? '1,2,4').split(',').map(Number)
  if (positionals.length > 1 || workers.some((n) => !Number.isInteger(n) || n < 1)) {
    process.stderr.write(`${USAGE}\n`)
    return 2
  }
  const folder = resolve(positionals[0] ?? BUNDLED)
  const results = await runFolder(folder, workers, {
    only: values.only,
    concurrency: Math.max(2, availableParallelism()),
  })
  const failed = results.filter((result) => result.problems.length > 0)
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify({ passed: results.length - failed.length, failed: failed.length, results })}\n`,
    )
  } else {
    for (const { id, problems } of failed) {
      const more = problems.length > 3 ? [`and ${problems.length - 3} more`] : []
      process.stdout.write(`${id}\n${[...problems.slice(0, 3), ...more].map((p) => `  ${p}\n`).join('')}`)
    }
    process.stdout.write(`${results.length - failed.length} passed, ${failed.length} failed\n`)
  }
  return failed.length === 0 && results.length > 0 ? 0 : 1
}

/** Runs the cases of a folder, of whichever format it holds. */
async function runFolder(folder: string, workers: readonly number[], options: JobOptions) {
  if (isPaimonFolder(folder)) {
    const engine = await LakefoldPaimonEngine.load()
    return runPaimon({ folder, workers, engine, ...options })
  }
  const engine = await LakefoldEngine.load()
  const results = await runAll({ folder, workers, engine, ...options })
  await engine.close()
  return results
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(2)
  },
)
