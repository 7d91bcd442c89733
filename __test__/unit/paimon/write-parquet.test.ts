import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { stringifyJson } from '../../../ts/base/json.js'
import * as paimon from '../../../ts/paimon/index.js'
import { taskField } from '../../../ts/paimon/scan/task-types.js'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { readRows } from '../../../ts/reader/rows.js'
import { taskOf, workFolder } from '../reader/tasks.js'
import { FIXTURES } from './fixtures.js'

const folder = workFolder()
afterAll(() => folder.remove())

/** Types that Paimon has finer than Iceberg; the cases of the tables hold the rows themselves to the reference. */
test.each(['types_parquet', 'types_orc', 'types_avro'])('%s goes to a Parquet file', async (name) => {
  const table = await paimon.PaimonTable.open(join(FIXTURES, 'warehouse/fx.db', name))
  const finer = table.schema.fields.filter(({ type }) => ['tinyint', 'smallint', 'timestamp'].includes(type.kind))
  expect(finer.length).toBeGreaterThan(2)
  const scan = table.scan().select(...finer.map((field) => field.name))
  const path = join(folder.path, `${name}.parquet`)
  const reader = await scan.toBatchReader()
  const { projection } = reader
  await reader.writeParquet(path)

  const fields = finer.map((field) => taskField(field))
  const document = { ...JSON.parse(taskOf(path, []).toJson()), schema: fields, projection: fields }
  const written = await openReader({
    tasks: [{ toJson: () => stringifyJson(document) }],
    projection,
    projectionJson: stringifyJson(fields),
  })
  const rows = []
  for await (const row of readRows(written)) rows.push(row)
  const wanted = []
  for await (const row of scan.rows()) wanted.push(row)
  expect(wanted.length).toBeGreaterThan(5)
  expect(rows).toEqual(wanted)
})
