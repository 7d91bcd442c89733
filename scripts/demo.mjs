// npm run demo: plans and reads two bundled tables. One by Iceberg Java: bucketed, with Parquet, Avro and ORC files,
// position deletes and equality deletes. One by Paimon Java: a primary key whose versions are merged on read.
import { join } from 'node:path'

import { root, setup } from './setup.mjs'

const LAKE = join(root, '__test__/fixtures/iceberg/tables')
const WAREHOUSE = join(root, '__test__/fixtures/paimon/warehouse/fx.db')

async function iceberg() {
  const { openTable, col } = await import('lakefold')
  const table = await openTable(join(LAKE, 'mixed_deletes'), { rewriteLocations: { 'file:/lake/iceberg': LAKE } })
  const { metadata } = table
  console.log(`table ${metadata.location}, format v${metadata.formatVersion}, ${metadata.snapshots.length} snapshots\n`)

  const few = table.scan().filter(col('id').in([0, 69]))
  const { metrics: m, dropped } = await few.explain()
  const droppedBy = (stage, kind) => dropped.filter((d) => d.stage === stage && d.kind === kind).length
  console.log('plan of: id in (0, 69)')
  console.log(`  data manifests    ${m['total-data-manifests']} in the list`)
  console.log(`    manifest list   dropped ${droppedBy('manifest-list', 'data-manifest')}`)
  console.log(`    read            ${m['scanned-data-manifests']}`)
  console.log(`  data files`)
  console.log(`    partition       dropped ${droppedBy('partition', 'data-file')}`)
  console.log(`    column metrics  dropped ${droppedBy('metrics', 'data-file')}`)
  console.log(`    to read         ${m['result-data-files']}`)
  console.log(
    `  delete manifests  ${m['total-delete-manifests']} in the list, ${m['skipped-delete-manifests']} dropped`,
  )
  console.log(`  delete files      ${m['indexed-delete-files']} indexed, applied ${m['result-delete-files']} times\n`)
  for (const task of await few.planFiles()) {
    const file = task.dataFile.path.slice(task.dataFile.path.lastIndexOf('/') + 1)
    console.log(`  ${file}: ${task.deleteFiles.length} delete files, residual ${task.residual}`)
  }

  console.log('\nfold over all rows: v by cat')
  const reader = await table.scan().select('cat', 'v').toBatchReader({ numWorkers: 2 })
  const sums = await reader.fold(new Map(), (sums, batch) => {
    const [cats, values] = [batch.getChild('cat'), batch.getChild('v')]
    for (let i = 0; i < batch.numRows; i++) {
      const { rows, sum } = sums.get(cats.get(i)) ?? { rows: 0, sum: 0 }
      sums.set(cats.get(i), { rows: rows + 1, sum: sum + (values.get(i) ?? 0) })
    }
    return sums
  })
  for (const [cat, { rows, sum }] of [...sums].sort()) console.log(`  ${cat}  ${rows} rows, sum of v ${sum}`)
  console.log(`\ncount() = ${await table.scan().count()}`)
}

async function paimon() {
  const { col } = await import('lakefold')
  const { PaimonTable } = await import('lakefold/paimon')
  const table = await PaimonTable.open(join(WAREHOUSE, 'pk_levels'))
  const { primaryKeys } = table.schema
  console.log(`\ntable ${table.location.slice(root.length)}, Paimon, primary key (${primaryKeys.join(', ')})`)

  const plan = await table.scan().plan()
  for (const { bucketPath, dataFiles, rawConvertible, rowCount } of plan.splits) {
    const levels = dataFiles.map(({ level, rowCount }) => `level ${level}: ${rowCount}`).join(', ')
    const how = rawConvertible ? 'read as they lie' : 'merged by key'
    console.log(
      `  ${bucketPath.slice(table.location.length + 1)}: ${rowCount} rows in ${dataFiles.length} files (${levels}), ${how}`,
    )
  }
  console.log(`  count() = ${await table.scan().count()}`)

  console.log('\nid in (3, 21) as of two snapshots: of each key the last version')
  for (const snapshot of [1n, plan.snapshotId]) {
    const rows = table
      .scan()
      .snapshotId(snapshot)
      .filter(col('id').in([3, 21]))
      .rows()
    for await (const { id, v } of rows) console.log(`  snapshot ${snapshot}: id ${id}, v ${v}`)
  }
}

async function demo() {
  await setup()
  await iceberg()
  await paimon()
}

demo().catch((error) => {
  process.stderr.write(`${error.stack ?? error}\n`)
  process.exitCode = 1
})
