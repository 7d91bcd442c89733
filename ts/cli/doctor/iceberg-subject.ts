import type { FileIO, TableScan } from '../../index.js'
import type { Subject, SubjectFile } from './subject.js'

/** The files that a scan of an Iceberg table reads. */
export async function icebergSubject(scan: TableScan, io: FileIO): Promise<Subject> {
  const tasks = await scan.planFiles()
  const files = new Map<string, SubjectFile>()
  for (const { dataFile, deleteFiles } of tasks) {
    for (const { path, fileSizeInBytes } of [dataFile, ...deleteFiles]) {
      files.set(path, { path, size: BigInt(fileSizeInBytes) })
    }
  }
  return {
    format: 'iceberg',
    snapshotId: scan.hasAnySnapshot() ? scan.snapshot()?.snapshotId : undefined,
    files: [...files.values()],
    pieces: tasks.map((task) => ({
      name: task.dataFile.path,
      read: () => scan.toBatchReaderForTasks([task], { verifyCrc: true, numWorkers: 1 }),
    })),
    size: (location) => io.size(location),
  }
}
