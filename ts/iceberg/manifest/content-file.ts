import { LakefoldError } from '../../base/errors.js'
import type { PartitionTuple } from '../../types/partition.js'
import type { RawFile } from './entry-schema.js'
import type { ContentFile, FileContent, FileFormat, ManifestContent } from './types.js'

type Counts = ReadonlyMap<number, bigint> | undefined
type Bounds = ReadonlyMap<number, Uint8Array> | undefined

const CONTENTS: readonly FileContent[] = ['data', 'position-deletes', 'equality-deletes']
const FORMATS: ReadonlySet<string> = new Set<FileFormat>(['parquet', 'avro', 'orc', 'puffin'])

/** What a data or delete file inherits from its manifest. */
export interface Inherited {
  readonly specId: number
  readonly dataSequenceNumber: bigint
  readonly fileSequenceNumber: bigint | undefined
  readonly firstRowId: bigint | undefined
}

/** A data or delete file as its manifest describes it; of the metrics, only the columns that were asked for. */
export class ManifestContentFile implements ContentFile {
  readonly content: FileContent
  readonly path: string
  readonly format: FileFormat
  readonly specId: number
  readonly partition: PartitionTuple
  readonly recordCount: bigint
  readonly fileSizeInBytes: bigint
  readonly splitOffsets: readonly bigint[] | undefined
  readonly sortOrderId: number | undefined
  readonly equalityIds: readonly number[] | undefined
  readonly keyMetadata: Uint8Array | undefined
  readonly firstRowId: bigint | undefined
  readonly referencedDataFile: string | undefined
  readonly contentOffset: bigint | undefined
  readonly contentSizeInBytes: bigint | undefined
  readonly dataSequenceNumber: bigint
  readonly fileSequenceNumber: bigint | undefined
  /** Bytes of each column; by field id, as the maps below. */
  readonly columnSizes: Counts
  readonly valueCounts: Counts
  readonly nullCounts: Counts
  readonly nanCounts: Counts
  readonly lowerBounds: Bounds
  readonly upperBounds: Bounds

  /** CORRUPT_FILE or UNSUPPORTED naming the manifest if a field is missing or has a value that it may not have. */
  constructor(raw: RawFile, inherited: Inherited, kind: ManifestContent, manifest: string) {
    this.path = required(raw.path, 'file_path', manifest)
    this.content = contentOf(raw.content ?? 0, kind, this.path, manifest)
    this.format = formatOf(required(raw.format, 'file_format', manifest), this.path, manifest)
    this.specId = inherited.specId
    this.partition = raw.partition ?? []
    this.recordCount = required(raw.recordCount, 'record_count', manifest)
    this.fileSizeInBytes = required(raw.fileSizeInBytes, 'file_size_in_bytes', manifest)
    this.splitOffsets = raw.splitOffsets
    this.sortOrderId = raw.sortOrderId
    this.equalityIds = raw.equalityIds
    this.keyMetadata = raw.keyMetadata
    this.firstRowId = inherited.firstRowId
    this.referencedDataFile = raw.referencedDataFile
    this.contentOffset = raw.contentOffset
    this.contentSizeInBytes = raw.contentSizeInBytes
    this.dataSequenceNumber = inherited.dataSequenceNumber
    this.fileSequenceNumber = inherited.fileSequenceNumber
    this.columnSizes = raw.columnSizes
    this.valueCounts = raw.valueCounts
    this.nullCounts = raw.nullCounts
    this.nanCounts = raw.nanCounts
    this.lowerBounds = raw.lowerBounds
    this.upperBounds = raw.upperBounds
  }

  valueCount(fieldId: number): bigint | undefined {
    return this.valueCounts?.get(fieldId)
  }

  nullCount(fieldId: number): bigint | undefined {
    return this.nullCounts?.get(fieldId)
  }

  nanCount(fieldId: number): bigint | undefined {
    return this.nanCounts?.get(fieldId)
  }

  lowerBound(fieldId: number): Uint8Array | undefined {
    return this.lowerBounds?.get(fieldId)
  }

  upperBound(fieldId: number): Uint8Array | undefined {
    return this.upperBounds?.get(fieldId)
  }
}

function contentOf(content: number, kind: ManifestContent, path: string, manifest: string): FileContent {
  const known = CONTENTS[content]
  if (known === undefined) throw corrupt(manifest, 'content', content, `of ${path} must be 0, 1 or 2`)
  if ((known === 'data') !== (kind === 'data')) {
    throw corrupt(manifest, 'content', content, `of ${path} does not belong in a manifest of ${kind}`)
  }
  return known
}

function formatOf(text: string, path: string, manifest: string): FileFormat {
  const format = text.toLowerCase()
  if (FORMATS.has(format)) return format as FileFormat
  throw new LakefoldError('UNSUPPORTED', `${manifest}: the file format "${text}" of ${path} is not supported`, {
    context: { file: manifest, field: 'file_format', value: text, dataFile: path },
  })
}

/** The value, or CORRUPT_FILE naming the manifest and field. */
export function required<T>(value: T | undefined, field: string, manifest: string): T {
  if (value !== undefined) return value
  throw corrupt(manifest, field, undefined, 'is missing')
}

export function corrupt(manifest: string, field: string, value: unknown, what: string): LakefoldError {
  const shown = value === undefined ? '' : ` ${String(value)}`
  return new LakefoldError('CORRUPT_FILE', `${manifest}: ${field}${shown} ${what}`, {
    context: { file: manifest, field, value },
  })
}
