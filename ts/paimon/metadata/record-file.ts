import { AvroContainer } from '../../avro/container.js'
import { readRecords } from '../../avro/read.js'
import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'
import { readsAnew } from '../../io/local.js'
import type { Codec, RowObject } from './record.js'

/**
 * Reads whole columnar files of metadata: what manifests are where `manifest.format` is orc or parquet. Implemented over the native core.
 * Rows have each column by name, integers as number or bigint, binary as Uint8Array, lists as arrays, structs as objects, null as null.
 */
export interface MetadataRowReader {
  readRows(file: ColumnarFile, signal?: AbortSignal): Promise<readonly RowObject[]>
}

/** A metadata file that is columnar, in memory. */
export interface ColumnarFile {
  readonly location: string
  readonly format: 'orc' | 'parquet'
  readonly bytes: Uint8Array
}

/** What metadata files are read with. */
export interface MetadataSource {
  readonly io: FileIO
  /** Without one, metadata in columnar files is UNSUPPORTED. */
  readonly rows?: MetadataRowReader
  readonly signal?: AbortSignal
}

/** A metadata file of records, in memory or as rows. */
export type RecordFile =
  | { readonly kind: 'avro'; readonly container: AvroContainer; readonly file: string }
  | { readonly kind: 'rows'; readonly rows: readonly RowObject[]; readonly file: string }

/** Opens a metadata file; its first bytes tell its format, since its name does not and the table's option may have changed. */
export async function openRecordFile(source: MetadataSource, file: string): Promise<RecordFile> {
  const { io, rows, signal } = source
  throwIfAborted(signal)
  const bytes = await io.read(file, undefined, signal)
  const format = columnarFormat(bytes)
  if (format === undefined) return { kind: 'avro', container: new AvroContainer(bytes, file, readsAnew(io)), file }
  if (rows === undefined) {
    throw new LakefoldError('UNSUPPORTED', `${file} is a metadata file in ${format}, which cannot be read here`, {
      context: { file, format },
    })
  }
  return { kind: 'rows', rows: await rows.readRows({ location: file, format, bytes }, signal), file }
}

/** Reads all records of a metadata file. */
export function recordsOf<T>(file: RecordFile, codec: Codec<T>): readonly T[] {
  if (file.kind === 'avro') return readRecords(file.container, codec.avro)
  return file.rows.map((row, i) => codec.row(row, { file: file.file, field: `[${i}]` }))
}

function columnarFormat(bytes: Uint8Array): 'orc' | 'parquet' | undefined {
  const magic = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(4, bytes.length)).toString('latin1')
  return magic === 'PAR1' ? 'parquet' : magic.startsWith('ORC') ? 'orc' : undefined
}
