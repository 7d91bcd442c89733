import type { FileIO } from '../../index.js'
import { DataSplit, type PaimonScan, type Split, TableRead } from '../../paimon/index.js'
import type { Subject, SubjectFile } from './subject.js'

/** The files that a scan of a Paimon table reads. */
export async function paimonSubject(scan: PaimonScan, io: FileIO): Promise<Subject> {
  const planner = await scan.toTableScan()
  const plan = await planner.createPlan()
  const read = await TableRead.create(planner)
  const files = new Map<string, SubjectFile>()
  for (const split of plan.splits) for (const file of filesOf(split)) files.set(file.path, file)
  return {
    format: 'paimon',
    snapshotId: plan.snapshotId,
    files: [...files.values()],
    pieces: plan.splits.map((split) => ({
      name: filesOf(split)
        .map(({ path }) => path)
        .join(', '),
      read: () => read.toBatchReader(split, { verifyCrc: true, numWorkers: 1 }),
    })),
    size: (location) => io.size(location),
  }
}

function filesOf(split: Split): SubjectFile[] {
  if (!(split instanceof DataSplit)) return [{ path: split.filePath, size: BigInt(split.fileSize) }]
  const data = split.dataFiles.map((file) => ({ path: split.dataFilePath(file), size: file.fileSize }))
  // An index file holds the vectors of many data files; its size is told elsewhere.
  const vectors = (split.deletionFiles ?? []).flatMap((one) =>
    one === undefined ? [] : [{ path: one.path, size: undefined }],
  )
  return [...data, ...vectors]
}
