import { AvroContainer } from '../../avro/container.js'
import { type At, type Compile, readRecords } from '../../avro/read.js'
import type { AvroSchema } from '../../avro/schema.js'
import type { Tap } from '../../avro/tap.js'
import { DATA_FILE_COLUMNS, type DataFileMeta, dataFileMeta, FILE_NAME, LEVEL } from './data-file.js'
import { corruptAt } from './errors.js'
import { bytes, type Codec, column, int, present, record, recordSteps, type Step } from './record.js'
import { type MetadataSource, openRecordFile, recordsOf } from './record-file.js'
import { checkVersion } from './record-version.js'

/** What an entry does to the table's files. */
export type FileKind = 'ADD' | 'DELETE'

/** The part of an entry that is read before its file: the same for an ADD and its DELETE. */
export interface EntryHead {
  readonly kind: FileKind
  /** The serialized partition row. Entries one after the other in the same partition share the array. */
  readonly partition: Uint8Array
  readonly bucket: number
  /** The bucket count that the file was written with; not above 0 where it is not known or not fixed. */
  readonly totalBuckets: number
}

export interface ManifestEntry extends EntryHead {
  readonly file: DataFileMeta
}

/** Which entries are wanted. What is dropped is not built: first by the head alone, then by the file's name and level. */
export interface EntryFilter {
  readonly head?: (head: EntryHead) => boolean
  readonly file?: (fileName: string, level: number) => boolean
}

/** What reading a manifest saw. */
export interface ManifestRead {
  readonly entries: readonly ManifestEntry[]
  /** Entries in the manifest, wanted or not. */
  readonly seen: number
}

const kindCodec: Codec<FileKind> = {
  avro: (schema, at) => {
    const read = int.avro(schema, at)
    return (tap) => fileKind(read(tap), at)
  },
  row: (value, at) => fileKind(int.row(value, at), at),
}

function fileKind(code: number, at: At): FileKind {
  if (code === 0) return 'ADD'
  return code === 1 ? 'DELETE' : corruptAt(at, `is ${code}, which is no kind of entry`, code)
}

const HEAD_COLUMNS = {
  version: column('_VERSION', int),
  kind: column('_KIND', kindCodec),
  partition: column('_PARTITION', bytes),
  bucket: column('_BUCKET', int),
  totalBuckets: column('_TOTAL_BUCKETS', int),
} as const
const FILE = '_FILE'

type VersionedHead = EntryHead & { readonly version: number }

/**
 * Reads a manifest by its location: its entries in order that pass the filter. Errors name the file: FILE_NOT_FOUND, CORRUPT_FILE,
 * UNSUPPORTED (another version or an unknown codec).
 */
export async function readManifest(
  source: MetadataSource,
  file: string,
  filter: EntryFilter = {},
): Promise<ManifestRead> {
  const opened = await openRecordFile(source, file)
  if (opened.kind === 'avro') return decodeManifest(opened.bytes, file, filter)
  const whole = record({ ...HEAD_COLUMNS, file: column(FILE, dataFileMeta) })
  const entries = recordsOf(opened, whole).map(({ version, ...entry }) => {
    checkVersion(version, 2, file)
    return entry
  })
  const wanted = entries.filter(
    (entry) => filter.head?.(entry) !== false && filter.file?.(entry.file.fileName, entry.file.level) !== false,
  )
  return { entries: wanted, seen: entries.length }
}

/** Reads the bytes of a manifest in Avro. */
export function decodeManifest(data: Uint8Array, file: string, filter: EntryFilter = {}): ManifestRead {
  const entries: ManifestEntry[] = []
  const read: Compile<true> = (schema, at) => {
    const one = compileEntry(schema, at, filter)
    return (tap) => {
      const entry = one(tap)
      if (entry !== undefined) entries.push(entry)
      return true
    }
  }
  const seen = readRecords(new AvroContainer(data, file), present(read)).length
  return { entries, seen }
}

/** A reader of one entry that gives undefined for one that is not wanted. */
function compileEntry(schema: AvroSchema, at: At, filter: EntryFilter): (tap: Tap) => ManifestEntry | undefined {
  const columns = { ...HEAD_COLUMNS, file: column(FILE, fileCodec(filter)) }
  const steps = recordSteps(schema, at, columns)
  const fileAt = steps.findIndex((step) => step.name === FILE)
  const fileStep = steps[fileAt] as Step
  const heads = steps.filter((step) => step !== fileStep)
  const last = fileAt === steps.length - 1
  let partition = new Uint8Array(0)
  return (tap) => {
    const into: Record<string, unknown> = {}
    let fileStart = tap.pos
    if (last) {
      for (const step of heads) step.run(tap, into)
      fileStart = tap.pos
    } else {
      // A writer that puts the file before the head: pass over it and come back.
      for (const step of steps) {
        if (step === fileStep) {
          fileStart = tap.pos
          step.skip(tap)
        } else step.run(tap, into)
      }
    }
    const head = into as unknown as VersionedHead
    checkVersion(head.version, 2, at.file)
    if (Buffer.compare(partition, head.partition) !== 0) partition = head.partition as Uint8Array<ArrayBuffer>
    const { kind, bucket, totalBuckets } = head
    const entry = { kind, partition, bucket, totalBuckets }
    const end = tap.pos
    if (filter.head?.(entry) === false) {
      if (last) fileStep.skip(tap)
      return undefined
    }
    tap.pos = fileStart
    fileStep.run(tap, into)
    if (!last) tap.pos = end
    const { file } = into as { file: DataFileMeta | false }
    return file === false ? undefined : { ...entry, file }
  }
}

/** The file of an entry; false where its name and level are not wanted, which are read first. */
function fileCodec(filter: EntryFilter): Codec<DataFileMeta | false> {
  const wanted = filter.file
  if (wanted === undefined) return dataFileMeta
  return {
    row: dataFileMeta.row,
    avro: present<DataFileMeta | false>((schema, at) => {
      const read = record(DATA_FILE_COLUMNS).avro(schema, at)
      const glance = recordSteps(schema, at, { fileName: FILE_NAME, level: LEVEL })
      return (tap) => {
        const start = tap.pos
        const into: Record<string, unknown> = {}
        for (const step of glance) step.run(tap, into)
        if (!wanted(into.fileName as string, into.level as number)) return false
        tap.pos = start
        return read(tap)
      }
    }),
  }
}
