import { LakefoldError } from '../../base/errors.js'
import type { DataFileMeta } from '../metadata/data-file.js'
import { blobRuns } from './blob-runs.js'
import { isBlob } from './data-evolution.js'
import type { DataSplit } from './data-split.js'
import type { FileSchemas } from './file-stats.js'
import { columnOf } from './group-filter.js'

/** Which files of a group of row ids give which columns. */
export interface StitchedGroup {
  /** The oldest file: its rows are the group's, and deletion files are its. */
  readonly anchor: DataFileMeta
  readonly newest: DataFileMeta
  readonly parts: readonly { readonly files: readonly DataFileMeta[]; readonly fieldIds: readonly number[] }[]
}

/** Takes each column from the newest file that has it. CORRUPT_FILE where blob files do not fit the group. */
export function stitchGroup(group: readonly DataFileMeta[], split: DataSplit, schemas: FileSchemas): StitchedGroup {
  const pathOf = (file: DataFileMeta) => split.dataFilePath(file)
  const whole = group.filter((file) => !isBlob(file))
  const newestFirst = [...whole].sort((a, b) => Number(b.maxSequenceNumber - a.maxSequenceNumber))
  const [newest] = newestFirst
  if (newest === undefined) {
    const path = pathOf(group[0] as DataFileMeta)
    throw new LakefoldError('CORRUPT_FILE', `${path}: a blob file without the file of its other columns`, {
      context: { file: path },
    })
  }
  const anchor = whole.reduce((a, b) =>
    b.maxSequenceNumber < a.maxSequenceNumber ||
    (b.maxSequenceNumber === a.maxSequenceNumber && b.fileName < a.fileName)
      ? b
      : a,
  )
  const given = new Set<number>()
  const parts: { files: readonly DataFileMeta[]; fieldIds: readonly number[] }[] = []
  for (const file of newestFirst) {
    const fieldIds = schemas.current.fields
      .filter(({ id }) => !given.has(id) && columnOf(file, id, schemas) !== undefined)
      .map(({ id }) => id)
    for (const id of fieldIds) given.add(id)
    if (fieldIds.length > 0) parts.push({ files: [file], fieldIds })
  }
  const mayMiss = split.rowRanges !== undefined
  const blobColumn = (file: DataFileMeta) => blobColumnOf(file, pathOf(file), schemas)
  for (const [id, files] of blobRuns(group.filter(isBlob), { anchor, columnOf: blobColumn, pathOf, mayMiss })) {
    if (!given.has(id)) parts.push({ files, fieldIds: [id] })
  }
  return { anchor, newest, parts }
}

function blobColumnOf(file: DataFileMeta, path: string, schemas: FileSchemas): number {
  const [name, ...more] = file.writeCols ?? []
  const field = schemas.of(file.schemaId).fields.find((one) => one.name === name)
  if (field !== undefined && more.length === 0) return field.id
  throw new LakefoldError('CORRUPT_FILE', `${path}: a blob file must have one column of its schema`, {
    context: { file: path, field: 'writeCols', value: file.writeCols },
  })
}
