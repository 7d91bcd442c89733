import { isDeepStrictEqual } from 'node:util'
import { AvroContainer } from '../../avro/container.js'
import { decodeColumns, decodeColumnsHere } from '../../avro/decode-columns.js'
import { programText } from '../../avro/program.js'
import { throwIfAborted } from '../../base/abort.js'
import { LakefoldError } from '../../base/errors.js'
import { stringifyJson } from '../../base/json.js'
import type { FileIO } from '../../io/file-io.js'
import { readsAnew } from '../../io/local.js'
import type { PartitionSpec } from '../../types/partition.js'
import type { JsonValue } from '../../types/types.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { ManifestCache } from './cache.js'
import { type EntryProgram, entryProgram, type StatsFieldIds } from './entry-schema.js'
import { readHeader } from './header.js'
import { EntryColumns, LoadedManifest } from './loaded.js'
import type { ManifestFile, ManifestHeader } from './types.js'

/** `file_path` of position deletes: its bounds say which data file a delete file is for, so that they are always read. */
const DELETE_FILE_PATH_ID = 2147483546
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
  const open = openManifest(new AvroContainer(bytes, manifest.path, readsAnew(io)), manifest, metadata, stats)
  const columns = await Promise.allSettled(
    open.ways.map(({ text }) => decodeColumns(open.container, open.container.all, text)),
  )
  throwIfAborted(signal)
  const loaded = oneOf(
    open.ways.map(
      ({ program }, i) =>
        () =>
          load(settled(columns[i]!), program, manifest, open.header),
    ),
    manifest.path,
  )
  cache?.set(key, loaded, loaded.byteLength)
  return loaded
}

/** Reads the bytes of a manifest. */
export function decodeManifest(
  bytes: Uint8Array,
  manifest: ManifestFile,
  metadata: TableMetadata,
  stats: StatsFieldIds,
): LoadedManifest {
  const { container, header, ways } = openManifest(new AvroContainer(bytes, manifest.path), manifest, metadata, stats)
  const decode = ({ program, text }: Way) => {
    return load(decodeColumnsHere(container, text), program, manifest, header)
  }
  return oneOf(
    ways.map((way) => () => decode(way)),
    manifest.path,
  )
}

/** A way in which the entries may be written. */
interface Way {
  readonly program: EntryProgram
  /** For the decoder. */
  readonly text: string
}

/** Reads the header, and compiles its schema. */
function openManifest(container: AvroContainer, manifest: ManifestFile, metadata: TableMetadata, stats: StatsFieldIds) {
  const header = readHeader(container, manifest, metadata)
  return { container, header, ways: compiled(container, header, stats) }
}

/** The ways to read entries by what they depend on: the manifests of a table nearly all have one schema. */
const known = new WeakMap<
  PartitionSpec,
  { readonly text: string; readonly stats: string; readonly ways: readonly Way[] }
>()

function compiled(container: AvroContainer, header: ManifestHeader, stats: StatsFieldIds): readonly Way[] {
  const text = container.schemaText()
  const wanted = `${header.partitionTypes.map((type) => JSON.stringify(type))}|${stats === 'all' ? 'all' : [...stats]}`
  const last = known.get(header.spec)
  if (last !== undefined && last.text === text && last.stats === wanted) return last.ways
  const schema = container.schema()
  const minBytes = container.recordBytes(schema)
  // Iceberg Java 1.12 writes a length before each fixed partition value, which Avro does not have.
  const prefixed = header.partitionTypes.some((type) => type.kind === 'fixed') ? [false, true] : [false]
  const ways = prefixed.map((prefixedFixed): Way => {
    const program = entryProgram(schema, container.file, header, stats, prefixedFixed)
    return { program, text: programText(program.ops, minBytes) }
  })
  known.set(header.spec, { text, stats: wanted, ways })
  return ways
}

function load(columns: Uint8Array, program: EntryProgram, manifest: ManifestFile, header: ManifestHeader) {
  return new LoadedManifest(header, manifest, new EntryColumns(columns, program, manifest.path), program)
}

function settled(result: PromiseSettledResult<Uint8Array>): Uint8Array {
  if (result.status === 'fulfilled') return result.value
  throw result.reason
}

/**
 * The manifest as the one way that reads it does: a wrong one does not end where its blocks end. If both do and differ, it is an error.
 */
function oneOf(ways: readonly (() => LoadedManifest)[], file: string): LoadedManifest {
  const [plain, prefixed] = ways as [() => LoadedManifest, (() => LoadedManifest)?]
  if (prefixed === undefined) return plain()
  let loaded: LoadedManifest
  try {
    loaded = plain()
  } catch (error) {
    try {
      return prefixed()
    } catch {
      throw error
    }
  }
  let other: LoadedManifest
  try {
    other = prefixed()
  } catch {
    return loaded
  }
  const tuples = ({ entries }: LoadedManifest) => entries.map((entry) => entry.file.partition)
  if (isDeepStrictEqual(tuples(loaded), tuples(other))) return loaded
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
