import { LakefoldError } from '../../base/errors.js'
import type { PartitionTuple } from '../../types/partition.js'
import type { LoadedManifest } from './loaded.js'
import type { ContentFile, FileContent, FileFormat, ManifestContent } from './types.js'

type Counts = ReadonlyMap<number, bigint> | undefined
type Bounds = ReadonlyMap<number, Uint8Array> | undefined

const CONTENTS: readonly FileContent[] = ['data', 'position-deletes', 'equality-deletes']
const FORMATS: ReadonlySet<string> = new Set<FileFormat>(['parquet', 'avro', 'orc', 'puffin'])

/**
 * A data or delete file as its manifest describes it; of the metrics, only the columns that were asked for. A view of the manifest's
 * columns: values are made when they are asked for.
 */
export class ManifestContentFile implements ContentFile {
  constructor(
    private readonly manifest: LoadedManifest,
    private readonly index: number,
  ) {}

  get content(): FileContent {
    return CONTENTS[this.manifest.columns.content.at(this.index) ?? 0]!
  }

  get format(): FileFormat {
    return this.manifest.formats[this.manifest.columns.formatCodes[this.index]!]!
  }

  /** A column of an ORC file has a value, or a null, only where its struct is present. */
  get countsPresentStructs(): boolean {
    return this.format === 'orc'
  }

  /** Java takes the unsigned bounds of row groups and merges them as two signed longs. */
  get mergedUuidBounds(): boolean {
    return this.format === 'parquet' && this.splitOffsets?.length !== 1
  }

  get specId(): number {
    return this.manifest.header.specId
  }

  /** One object for all files of the manifest with the same tuple. */
  get partition(): PartitionTuple {
    const { tuples, tupleCodes } = this.manifest.columns
    return tuples[tupleCodes[this.index]!]!
  }

  get firstRowId(): bigint | undefined {
    const { columns, firstRowIds } = this.manifest
    if (firstRowIds === undefined) return undefined
    return columns.firstRowId.has(this.index) || !this.manifest.isDeleted(this.index)
      ? firstRowIds[this.index]
      : undefined
  }

  get equalityIds(): readonly number[] | undefined {
    return this.manifest.columns.equalityIds.at(this.index)?.map(Number)
  }

  get dataSequenceNumber(): bigint {
    return this.manifest.columns.sequenceNumber.at(this.index) ?? this.manifest.list.sequenceNumber
  }

  get fileSequenceNumber(): bigint | undefined {
    const stored = this.manifest.columns.fileSequenceNumber.at(this.index)
    // Early v2 writers did not have the field, so that entries that they carried over stay without.
    return stored ?? (this.manifest.inheritsSequence(this.index) ? this.manifest.list.sequenceNumber : undefined)
  }

  get path(): string {
    return this.manifest.columns.path.text(this.index)!
  }

  get recordCount(): bigint {
    return this.manifest.columns.recordCount.at(this.index)!
  }

  get fileSizeInBytes(): bigint {
    return this.manifest.columns.fileSizeInBytes.at(this.index)!
  }

  get splitOffsets(): readonly bigint[] | undefined {
    return this.manifest.columns.splitOffsets.at(this.index)
  }

  get sortOrderId(): number | undefined {
    return this.manifest.columns.sortOrderId.at(this.index)
  }

  get keyMetadata(): Uint8Array | undefined {
    return this.manifest.columns.keyMetadata.bytes(this.index)
  }

  get referencedDataFile(): string | undefined {
    return this.manifest.columns.referencedDataFile.text(this.index)
  }

  get contentOffset(): bigint | undefined {
    return this.manifest.columns.contentOffset.at(this.index)
  }

  get contentSizeInBytes(): bigint | undefined {
    return this.manifest.columns.contentSizeInBytes.at(this.index)
  }

  /** Bytes of each column; by field id, as the maps below. */
  get columnSizes(): Counts {
    return this.manifest.columns.columnSizes.at(this.index)
  }

  get valueCounts(): Counts {
    return this.manifest.columns.valueCounts.at(this.index)
  }

  get nullCounts(): Counts {
    return this.manifest.columns.nullCounts.at(this.index)
  }

  get nanCounts(): Counts {
    return this.manifest.columns.nanCounts.at(this.index)
  }

  get lowerBounds(): Bounds {
    return this.manifest.columns.lowerBounds.at(this.index)
  }

  get upperBounds(): Bounds {
    return this.manifest.columns.upperBounds.at(this.index)
  }

  valueCount(fieldId: number): bigint | undefined {
    return this.manifest.columns.valueCounts.get(this.index, fieldId)
  }

  nullCount(fieldId: number): bigint | undefined {
    return this.manifest.columns.nullCounts.get(this.index, fieldId)
  }

  nanCount(fieldId: number): bigint | undefined {
    return this.manifest.columns.nanCounts.get(this.index, fieldId)
  }

  lowerBound(fieldId: number): Uint8Array | undefined {
    return this.manifest.columns.lowerBounds.get(this.index, fieldId)
  }

  upperBound(fieldId: number): Uint8Array | undefined {
    return this.manifest.columns.upperBounds.get(this.index, fieldId)
  }
}

/** The content by its code, or CORRUPT_FILE. */
export function contentOf(content: number, kind: ManifestContent, path: string, manifest: string): FileContent {
  const known = CONTENTS[content]
  if (known === undefined) throw corrupt(manifest, 'content', content, `of ${path} must be 0, 1 or 2`)
  if ((known === 'data') !== (kind === 'data')) {
    throw corrupt(manifest, 'content', content, `of ${path} does not belong in a manifest of ${kind}`)
  }
  return known
}

/** The format by its name in whatever case, or UNSUPPORTED. */
export function formatOf(text: string, path: string, manifest: string): FileFormat {
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
