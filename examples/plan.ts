// What a scan would read, without reading it; and what each prune dropped, and why.
import { col, FileScanTask, ManifestCache } from 'lakefold'

import { bundled } from './table.js'

const table = await bundled('mixed_deletes')
const scan = table.scan().filter(col('id').in([0, 69]))

const tasks = await scan.planFiles()
console.log(
  tasks.length,
  tasks.every((task) => task.residual === '["in","id",[0,69]]'),
)

const { metrics, dropped } = await scan.explain()
console.log(metrics['skipped-data-manifests'], metrics['skipped-data-files'], dropped.length > 0)

// Plans that share a cache read each manifest once.
const cache = new ManifestCache()
console.log((await scan.planFilesWith(cache)).length, (await scan.planFilesWith(cache)).length)

// A task is a document: it can be read elsewhere.
const copies = tasks.map((task) => FileScanTask.fromJson(task.toJson()))
const batches = await scan.toBatchesForTasks(copies)
console.log(batches.reduce((rows, batch) => rows + batch.numRows, 0))

// Tasks come as they are planned; leaving the loop stops the planning.
for await (const task of table.scan().tasks()) {
  console.log(task.start, task.length === task.dataFile.fileSizeInBytes)
  break
}

const [first] = JSON.parse(await scan.planFilesJson())
console.log(Object.keys(first).join(' '))

/* prints
4 true
2 3 true
4 4
1
0 true
data-file-path deletes file-format file-size-in-bytes length project-field-ids record-count start
*/
