import { isDeepStrictEqual } from 'node:util'
import { AvroContainer } from '../../avro/container.js'
import { readRecords } from '../../avro/read.js'
import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import type { FileIO } from '../../io/file-io.js'
import type { JsonValue } from '../../types/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { LoadedManifest, ManifestCache } from './cache.js'
import { entryReader, type RawEntry, type StatsFieldIds } from './entry-schema.js'
import { readHeader } from './header.js'
import { inherit } from './inherit.js'
import type { ManifestFile, ManifestHeader } from './types.js'

/** `file_path` of position deletes: its bounds say which data file a delete file is for, so that they are always read. */
const DELETE_FILE_PATH_ID = 2147483546
/** Estimated memory of an entry beside its decompressed bytes, which objects about double. */
const ENTRY_BYTES = 700

export interface ReadManifestOptions {
  /** The columns whose metrics the entries get; of delete files, `file_path` too. */
  readonly statsFieldIds: StatsFieldIds
  readonly cache?: ManifestCache
  readonly signal?: AbortSignal
}

/**
 * Reads a manifest: its header and all entries in order, deleted ones too, with sequence numbers, snapshot ids and first row ids
 * inherited (Iceberg spec, "Manifests").
 *
 * @throws LakefoldError naming the manifest: FILE_NOT_FOUND, CORRUPT_FILE (also for a file that is cut or changed inside a block),
 * UNSUPPORTED for an encrypted manifest or an unknown codec or file format, CANCELLED.
 */
export async function readManifest(
  io: FileIO,
  manifest: ManifestFile,
  metadata: TableMetadata,
  options: ReadManifestOptions,
): Promise<LoadedManifest> {
  const { cache, signal } = options
  throwIfAborted(signal)
  if (manifest.keyMetadata !== undefined) {
    throw new LakefoldError('UNSUPPORTED', `${manifest.path} is encrypted, which is not supported`, {
      context: { file: manifest.path },
    })
  }
  const stats = statsFor(manifest, options.statsFieldIds)
  const key = cache === undefined ? '' : cacheKey(io, manifest, metadata, stats)
  const cached = cache?.get(key)
  if (cached !== undefined) return cached
  const bytes = await io.read(manifest.path, undefined, signal)
  throwIfAborted(signal)
  const loaded = decodeManifest(bytes, manifest, metadata, stats)
  // Five to one is about what manifests compress to.
  cache?.set(key, loaded, bytes.length * 5 + loaded.entries.length * ENTRY_BYTES)
  return loaded
}

/** Reads the bytes of a manifest. */
export function decodeManifest(
  bytes: Uint8Array,
  manifest: ManifestFile,
  metadata: TableMetadata,
  stats: StatsFieldIds,
): LoadedManifest {
  const container = new AvroContainer(bytes, manifest.path)
  const header = readHeader(container, manifest, metadata)
  return { header, entries: inherit(readEntries(container, header, stats), manifest, header) }
}

function readEntries(container: AvroContainer, header: ManifestHeader, stats: StatsFieldIds): readonly RawEntry[] {
  const read = (prefixedFixed: boolean) => readRecords(container, entryReader(header, stats, prefixedFixed))
  if (!header.partitionTypes.some((type) => type.kind === 'fixed')) return read(false)
  return readFixed(
    container.file,
    () => read(false),
    () => read(true),
  )
}

/**
 * Iceberg Java 1.12 writes a length before each fixed partition value, which Avro does not have. Both readings are tried; the file
 * tells by itself which one it is, as a wrong one does not end where its blocks end. If both do and differ, it is an error.
 */
function readFixed(
  file: string,
  plain: () => readonly RawEntry[],
  prefixed: () => readonly RawEntry[],
): readonly RawEntry[] {
  let entries: readonly RawEntry[]
  try {
    entries = plain()
  } catch (error) {
    try {
      return prefixed()
    } catch {
      throw error
    }
  }
  let other: readonly RawEntry[]
  try {
    other = prefixed()
  } catch {
    return entries
  }
  const tuples = (list: readonly RawEntry[]) => list.map((entry) => entry.file?.partition)
  if (isDeepStrictEqual(tuples(entries), tuples(other))) return entries
  throw new LakefoldError(
    'CORRUPT_FILE',
    `${file}: its partition values of type fixed can be read with and without a length before them`,
    { context: { file, field: 'partition' } },
  )
}

function statsFor(manifest: ManifestFile, wanted: StatsFieldIds): StatsFieldIds {
  if (wanted === 'all' || manifest.content === 'data' || wanted.has(DELETE_FILE_PATH_ID)) return wanted
  return new Set([...wanted, DELETE_FILE_PATH_ID])
}

/** All that the result depends on. */
function cacheKey(io: FileIO, manifest: ManifestFile, metadata: TableMetadata, stats: StatsFieldIds): string {
  const { path, length, specId, content, sequenceNumber, embedded } = manifest
  const spec = metadata.findSpec(specId)
  const types = spec === undefined ? metadata.metadataLocation : metadata.partitionTypes(spec)
  return stringifyJson([
    io.resolve(path),
    path,
    length,
    specId,
    content,
    sequenceNumber,
    manifest.addedSnapshotId ?? null,
    manifest.firstRowId ?? null,
    embedded ? metadata.metadataLocation : null,
    (spec?.fields ?? null) as unknown as JsonValue,
    types as unknown as JsonValue,
    stats === 'all' ? 'all' : [...stats].sort((a, b) => a - b),
  ])
}
