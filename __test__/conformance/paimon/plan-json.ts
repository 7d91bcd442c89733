import type * as Paimon from '../../../ts/paimon/index.js'
import type { Json } from '../json.js'
import type { CaseFile, CaseSplit, Values } from './case.js'
import { type DatumType, datumJson } from './datum.js'

type Api = typeof Paimon
type Split = Paimon.DataSplit
type File = Split['dataFiles'][number]

interface Field {
  readonly name: string
  readonly type: DatumType
}

/** What the splits of a plan are told by. */
export interface PlanPlace {
  /** The table's folder: the cases' paths are below it. */
  readonly root: string
  readonly partition: readonly Field[]
  readonly key: readonly Field[]
}

/** A split of the reader as the cases write one. */
export function splitJson(api: Api, split: Split | Paimon.FormatSplit, place: PlanPlace): CaseSplit {
  const below = (path: string) => (path.startsWith(`${place.root}/`) ? path.slice(place.root.length + 1) : path)
  const partition = valuesOf(place.partition, split.partitionValues)
  if (!('dataFiles' in split)) {
    const { filePath, fileSize, offset, length } = split
    return { partition, file: below(filePath), fileSize, offset, length }
  }
  const files = (list: readonly File[]) => list.map((file) => fileJson(api, file, place))
  const deletions = split.deletionFiles?.map((one) =>
    one === undefined ? null : { ...one, path: below(one.path), cardinality: maybe(one.cardinality) },
  )
  return {
    partition,
    bucket: split.bucket,
    ...(split.totalBuckets !== undefined && { totalBuckets: split.totalBuckets }),
    bucketPath: below(split.bucketPath),
    rawConvertible: split.rawConvertible,
    rowCount: Number(split.rowCount),
    isStreaming: split.isStreaming,
    ...(split.mergedRowCount !== undefined && { mergedRowCount: Number(split.mergedRowCount) }),
    files: files(split.dataFiles),
    ...(split.beforeFiles !== undefined && { beforeFiles: files(split.beforeFiles) }),
    deletionFiles: deletions ?? null,
  }
}

/** Values by the names of their fields. */
export function valuesOf(fields: readonly Field[], values: readonly unknown[]): Values {
  return Object.fromEntries(fields.map(({ name, type }, i) => [name, datumJson(values[i], type)]))
}

const maybe = (value: bigint | undefined): Json => (value === undefined ? null : Number(value))

function fileJson(api: Api, file: File, { key, root }: PlanPlace): CaseFile {
  const keyOf = (bytes: Uint8Array, field: string) => {
    const types = key.map((one) => one.type) as never
    return api
      .decodeRow(bytes, types, { file: root, field })
      .map((value, i) => datumJson(value, key[i]?.type as DatumType))
  }
  return {
    name: file.fileName,
    level: file.level,
    rowCount: Number(file.rowCount),
    schemaId: file.schemaId,
    fileSize: Number(file.fileSize),
    minSequenceNumber: Number(file.minSequenceNumber),
    maxSequenceNumber: Number(file.maxSequenceNumber),
    deleteRowCount: maybe(file.deleteRowCount),
    ...(key.length > 0 && { minKey: keyOf(file.minKey, 'minKey'), maxKey: keyOf(file.maxKey, 'maxKey') }),
    fileSource: file.fileSource ?? null,
    firstRowId: maybe(file.firstRowId),
    writeCols: file.writeCols ? [...file.writeCols] : null,
    valueStatsCols: file.valueStatsCols ? [...file.valueStatsCols] : null,
    embeddedIndexBytes: file.embeddedFileIndex?.length ?? null,
    extraFiles: [...file.extraFiles],
  }
}
