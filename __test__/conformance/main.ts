import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { icebergJobs } from './iceberg-jobs.js'
import { runJobs } from './jobs.js'
import { LakefoldEngine } from './lakefold-engine.js'
import { LakefoldPaimonEngine } from './paimon/lakefold-engine.js'
import { isPaimonFolder, paimonJobs } from './paimon/paimon-jobs.js'

const USAGE = 'usage: npm run conformance -- [folder..] [--json] [--only <id>] [--workers 1,2,4]'
const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../fixtures')
/** What runs where no folder is named. */
const BUNDLED = [join(FIXTURES, 'iceberg'), join(FIXTURES, 'paimon')]

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, only: { type: 'string', multiple: true }, workers: { type: 'string' } },
  })
  const workers = (values.workers ?? '1,2,4').split(',').map(Number)
  if (workers.some((n) => !Number.isInteger(n) || n < 1)) {
    process.stderr.write(`${USAGE}\n`)
    return 2
  }
  const engines = { iceberg: await LakefoldEngine.load(), paimon: await LakefoldPaimonEngine.load() }
  const folders = positionals.length === 0 ? BUNDLED : positionals.map((folder) => resolve(folder))
  const jobs = folders.flatMap((folder) =>
    isPaimonFolder(folder)
      ? paimonJobs({ folder, workers, engine: engines.paimon })
      : icebergJobs({ folder, workers, engine: engines.iceberg }),
  )
  const results = await runJobs(jobs, { only: values.only, concurrency: Math.max(2, availableParallelism()) })
  await engines.iceberg.close()
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

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(2)
  },
)
