import { AvroContainer } from '../../avro/container.js'
import { boolean, bytes, field, int, list, long, optional, readRecords, record, string } from '../../avro/read.js'
import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import type { FieldSummary } from '../../expr/node.js'
import type { FileIO } from '../../io/file-io.js'
import type { Snapshot } from '../metadata/snapshot.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { ManifestContent, ManifestFile } from './types.js'

/** field_summary, by field id. */
const summary = record({
  containsNull: field(509, boolean),
  containsNan: field(518, optional(boolean)),
  lowerBound: field(510, optional(bytes)),
  upperBound: field(511, optional(bytes)),
})

/** manifest_file, by field id: writers differ in the names. */
const manifestFile = record({
  path: field(500, string),
  length: field(501, long),
  specId: field(502, int),
  content: field(517, optional(int)),
  sequenceNumber: field(515, optional(long)),
  minSequenceNumber: field(516, optional(long)),
  addedSnapshotId: field(503, optional(long)),
  addedFilesCount: field(504, optional(int)),
  existingFilesCount: field(505, optional(int)),
  deletedFilesCount: field(506, optional(int)),
  addedRowsCount: field(512, optional(long)),
  existingRowsCount: field(513, optional(long)),
  deletedRowsCount: field(514, optional(long)),
  partitions: field(507, optional(list(summary))),
  keyMetadata: field(519, optional(bytes)),
  firstRowId: field(520, optional(long)),
})

/**
 * The manifests of a snapshot in order (Iceberg spec, "Manifest Lists"), of all format versions; sequence numbers are 0 where the list
 * has none. A v1 snapshot's embedded manifests come without summaries and counts, their spec id known only when they are read.
 *
 * @throws LakefoldError FILE_NOT_FOUND, CORRUPT_FILE and so on, naming the list; UNSUPPORTED if it is encrypted.
 */
export async function readManifestList(
  io: FileIO,
  snapshot: Snapshot,
  metadata: TableMetadata,
  options: { signal?: AbortSignal } = {},
): Promise<ManifestFile[]> {
  const { manifestList: file } = snapshot
  if (file === undefined) return embeddedManifests(io, snapshot)
  if (snapshot.keyId !== undefined) {
    throw new LakefoldError('UNSUPPORTED', `${file} is encrypted (key ${snapshot.keyId}), which is not supported`, {
      context: { file, keyId: snapshot.keyId, metadata: metadata.metadataLocation },
    })
  }
  const content = await io.read(file, undefined, options.signal)
  throwIfAborted(options.signal)
  return decodeManifestList(content, file)
}

/** Reads the bytes of a manifest list. */
export function decodeManifestList(content: Uint8Array, file: string): ManifestFile[] {
  return readRecords(new AvroContainer(content, file), manifestFile).map((entry, i) => {
    const path = required(entry.path, 'manifest_path', i, file)
    return {
      ...entry,
      path,
      length: required(entry.length, 'manifest_length', i, file),
      specId: required(entry.specId, 'partition_spec_id', i, file),
      content: contentOf(entry.content ?? 0, path, file),
      sequenceNumber: entry.sequenceNumber ?? 0n,
      minSequenceNumber: entry.minSequenceNumber ?? 0n,
      // A negative count is how some writers say that they do not know.
      addedFilesCount: known(entry.addedFilesCount),
      existingFilesCount: known(entry.existingFilesCount),
      deletedFilesCount: known(entry.deletedFilesCount),
      partitions: entry.partitions?.map(
        (field): FieldSummary => ({
          ...field,
          containsNull: required(field.containsNull, 'contains_null', i, file),
        }),
      ),
      embedded: false,
    }
  })
}

async function embeddedManifests(io: FileIO, snapshot: Snapshot): Promise<ManifestFile[]> {
  return Promise.all(
    (snapshot.manifests ?? []).map(
      async (path): Promise<ManifestFile> => ({
        path,
        length: BigInt(await io.size(path)),
        specId: 0,
        content: 'data',
        sequenceNumber: 0n,
        minSequenceNumber: 0n,
        addedSnapshotId: snapshot.snapshotId,
        addedFilesCount: undefined,
        existingFilesCount: undefined,
        deletedFilesCount: undefined,
        addedRowsCount: undefined,
        existingRowsCount: undefined,
        deletedRowsCount: undefined,
        partitions: undefined,
        keyMetadata: undefined,
        firstRowId: undefined,
        embedded: true,
      }),
    ),
  )
}

function contentOf(content: number, manifest: string, file: string): ManifestContent {
  if (content === 0) return 'data'
  if (content === 1) return 'deletes'
  throw new LakefoldError('CORRUPT_FILE', `${file}: content ${content} of ${manifest} must be 0 or 1`, {
    context: { file, field: 'content', value: content, manifest },
  })
}

function known(count: number | undefined): number | undefined {
  return count !== undefined && count >= 0 ? count : undefined
}

function required<T>(value: T | undefined, name: string, index: number, file: string): T {
  if (value !== undefined) return value
  throw new LakefoldError('CORRUPT_FILE', `${file}: entry ${index} has no ${name}`, {
    context: { file, field: name, entry: index },
  })
}
