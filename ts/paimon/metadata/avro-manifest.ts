import type { AvroContainer, AvroPart } from '../../avro/container.js'
import { decodeColumns, GlancedRecords } from '../../avro/decode-columns.js'
import { programText } from '../../avro/program.js'
import { throwIfAborted } from '../../base/abort.js'
import { readAhead } from '../../base/read-ahead.js'
import { EntryColumns, HeadColumns } from './entry-columns.js'
import { type EntryProgram, entryProgram } from './entry-program.js'
import { LoadedFile, ownFile } from './loaded-file.js'
import type { EntryFilter, EntryHead, ManifestEntry, ManifestRead } from './manifest-entry.js'
import { FILE_KINDS } from './record-codes.js'

/** Bytes of a manifest that are decoded together: several threads share a large one, and what nobody wants is gone early. */
const PART_BYTES = 256 * 1024
/** As many as Node's pool has threads, unless told otherwise. */
const PARTS_AT_ONCE = 4
/** Where fewer entries than one in so many are wanted, their files become objects of their own, so that the columns can go. */
const SPARSE = 8

/** Reads the bytes of a manifest in Avro: its entries in order that pass the filter, decoded on the threads of Node's pool. */
export async function readAvroManifest(
  container: AvroContainer,
  filter: EntryFilter,
  signal: AbortSignal | undefined,
): Promise<ManifestRead> {
  const programs = programsOf(container)
  const parts = container.parts(PART_BYTES)
  const read = (part: AvroPart) => readPart(container, part, programs, filter, signal)
  const [only] = parts as readonly [AvroPart]
  if (parts.length === 1) return read(only)
  const entries: ManifestEntry[] = []
  let [seen, decoded] = [0, 0]
  for await (const found of readAhead(parts, PARTS_AT_ONCE, read, signal)) {
    for (const entry of found.entries) entries.push(entry)
    seen += found.seen
    decoded += found.decoded
  }
  return { entries, seen, decoded }
}

async function readPart(
  container: AvroContainer,
  part: AvroPart,
  { head, all }: Programs,
  filter: EntryFilter,
  signal: AbortSignal | undefined,
): Promise<ManifestRead> {
  const { file } = container
  throwIfAborted(signal)
  if (filter.head === undefined && filter.level === undefined) {
    const columns = await decodeColumns(container, part, all.text)
    throwIfAborted(signal)
    return entriesOf(new EntryColumns(columns, all, file), filter)
  }
  const glanced = await GlancedRecords.of(container, part, head.text)
  throwIfAborted(signal)
  const heads = new HeadColumns(glanced.columns, head, file)
  const columns = await glanced.select(wantedPlaces(heads, filter), all.text)
  throwIfAborted(signal)
  return { ...entriesOf(new EntryColumns(columns, all, file), filter), seen: heads.length }
}

/** The places of the entries that may be wanted by what they have before their files, and by level. */
function wantedPlaces(heads: HeadColumns, { head, level }: EntryFilter): Uint32Array {
  const places = new Uint32Array(heads.length)
  let count = 0
  for (let i = 0; i < heads.length; i++) {
    if (head?.(headAt(heads, i)) === false || level?.(heads.level.at(i)!) === false) continue
    places[count++] = i
  }
  return places.subarray(0, count)
}

function headAt({ kind, partition, bucket, totalBuckets }: HeadColumns, index: number): EntryHead {
  return {
    kind: FILE_KINDS[kind.at(index)!]!,
    partition: partition.at(index),
    bucket: bucket.at(index)!,
    totalBuckets: totalBuckets.at(index)!,
  }
}

function entriesOf(columns: EntryColumns, filter: EntryFilter): ManifestRead {
  const { length } = columns
  let entries: ManifestEntry[] = []
  for (let i = 0; i < length; i++) {
    const { kind, partition, bucket, totalBuckets } = headAt(columns, i)
    const entry = { kind, partition, bucket, totalBuckets, file: new LoadedFile(columns, i) }
    if (filter.entry?.(entry) !== false) entries.push(entry)
  }
  if (entries.length * SPARSE < length) {
    entries = entries.map((entry) => ({
      ...entry,
      partition: new Uint8Array(entry.partition),
      file: ownFile(entry.file),
    }))
  }
  return { entries, seen: length, decoded: length }
}

interface Programs {
  readonly head: EntryProgram & { readonly text: string }
  readonly all: EntryProgram & { readonly text: string }
}

/** Programs by the writer's schema: the manifests of a table nearly all have one. */
const known = new Map<string, Programs>()
const MOST_KNOWN = 16

function programsOf(container: AvroContainer): Programs {
  const written = container.schemaText()
  const found = known.get(written)
  if (found !== undefined) return found
  const schema = container.schema()
  const minBytes = container.recordBytes(schema)
  const program = (which: 'head' | 'all') => {
    const made = entryProgram(schema, container.file, which)
    return { ...made, text: programText(made.ops, minBytes) }
  }
  const programs = { head: program('head'), all: program('all') }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(written, programs)
  return programs
}
