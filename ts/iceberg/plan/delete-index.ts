import { LakefoldError } from '../../base/errors.js'
import type { PartitionSpec } from '../../types/partition.js'
import type { ContentFile } from '../manifest/types.js'
import { type KeyColumns, mayShareKeys } from './key-overlap.js'
import { partitionKey } from './partition-key.js'
import { referencedDataFile } from './referenced-data-file.js'

/** What an index needs to know of the table. */
export interface DeleteIndexContext {
  readonly specs: ReadonlyMap<number, PartitionSpec>
  /** The columns of an equality key; see {@link KeyColumns}. */
  readonly keyColumns: KeyColumns
}

/**
 * Which delete files apply to a data file (Iceberg spec, "Scan Planning"): by path, by partition, by sequence number.
 * A look-up costs as much as it finds, however many files the table has.
 */
export class DeleteIndex {
  readonly #context: DeleteIndexContext
  readonly #globalEquality = new SequencedFiles()
  readonly #partitionEquality = new Map<string, SequencedFiles>()
  readonly #partitionPositions = new Map<string, SequencedFiles>()
  readonly #pathPositions = new Map<string, SequencedFiles>()
  readonly #vectors = new Map<string, ContentFile>()
  #size = 0
  /** Field ids of all equality keys: the statistics of data files that attaching looks at. */
  readonly equalityIds: ReadonlySet<number>

  /**
   * @param files delete files in manifest order
   * @throws LakefoldError CORRUPT_FILE for two deletion vectors of a data file, a vector without its blob's range,
   *   an equality delete without a key
   */
  constructor(context: DeleteIndexContext, files: Iterable<ContentFile>) {
    this.#context = context
    const ids = new Set<number>()
    for (const file of files) {
      this.#add(file)
      for (const id of file.equalityIds ?? []) ids.add(id)
      this.#size++
    }
    this.equalityIds = ids
  }

  /** How many delete files are in the index. */
  get size(): number {
    return this.#size
  }

  /**
   * The deletes that apply to a data file: global equality, partition equality, then its deletion vector or
   * position deletes of the partition and of the path; each by sequence number.
   *
   * @throws LakefoldError CORRUPT_FILE if a vector or a delete scoped to this file is of another spec or partition,
   *   or a vector is older than the file
   */
  forDataFile(file: ContentFile): readonly ContentFile[] {
    if (this.#size === 0) return NONE
    const { specId, partition, dataSequenceNumber: sequence } = file
    const key = partitionKey(specId, partition)
    const found = this.#equality(file, key, sequence)
    const vector = this.#vectors.size === 0 ? undefined : this.#vectors.get(file.path)
    if (vector !== undefined) {
      checkSamePartition(vector, file, key)
      if (vector.dataSequenceNumber < sequence) {
        throw mismatch(vector, file, 'data sequence number', vector.dataSequenceNumber, sequence)
      }
      return [...found, vector]
    }
    const positions = this.#partitionPositions.get(key)?.from(sequence) ?? NONE
    const scoped = this.#pathPositions.size === 0 ? NONE : (this.#pathPositions.get(file.path)?.from(sequence) ?? NONE)
    for (const deletes of scoped) checkSamePartition(deletes, file, key)
    if (found.length === 0 && scoped.length === 0) return positions
    return [...found, ...positions, ...scoped]
  }

  /** The equality deletes that may share a key with the file: global ones, then those of the partition. */
  #equality(file: ContentFile, key: string, sequence: bigint): readonly ContentFile[] {
    if (this.equalityIds.size === 0) return NONE
    const ofPartition = this.#partitionEquality.get(key)?.from(sequence + 1n) ?? NONE
    return [...this.#globalEquality.from(sequence + 1n), ...ofPartition].filter((deletes) =>
      mayShareKeys(file, deletes, this.#context.keyColumns),
    )
  }

  #add(file: ContentFile): void {
    if (file.content === 'equality-deletes') this.#addEquality(file)
    else if (file.format === 'puffin') this.#addVector(file)
    else {
      const path = referencedDataFile(file)
      if (path !== undefined) entry(this.#pathPositions, path).add(file)
      else entry(this.#partitionPositions, partitionKey(file.specId, file.partition)).add(file)
    }
  }

  #addEquality(file: ContentFile): void {
    if (file.equalityIds === undefined || file.equalityIds.length === 0) {
      throw broken(file, 'an equality delete file without equality ids', { field: 'equality_ids' })
    }
    const spec = this.#context.specs.get(file.specId)
    if (spec === undefined) {
      throw broken(file, `the table has no partition spec ${file.specId}`, { field: 'spec_id', value: file.specId })
    }
    if (spec.fields.every((field) => field.transform.kind === 'void')) this.#globalEquality.add(file)
    else entry(this.#partitionEquality, partitionKey(file.specId, file.partition)).add(file)
  }

  #addVector(file: ContentFile): void {
    const path = file.referencedDataFile
    if (path === undefined)
      throw broken(file, 'a deletion vector without a data file', { field: 'referenced_data_file' })
    if (file.contentOffset === undefined || file.contentSizeInBytes === undefined) {
      const field = file.contentOffset === undefined ? 'content_offset' : 'content_size_in_bytes'
      throw broken(file, `a deletion vector for ${path} without its ${field}`, { field, dataFile: path })
    }
    const other = this.#vectors.get(path)
    if (other !== undefined) {
      throw broken(file, `${path} has two deletion vectors, the other in ${other.path}`, {
        field: 'referenced_data_file',
        dataFile: path,
        other: other.path,
      })
    }
    this.#vectors.set(path, file)
  }
}

const NONE: readonly ContentFile[] = []

/** Delete files by ascending data sequence number; equal ones in the order that they came in. */
class SequencedFiles {
  readonly #files: ContentFile[] = []
  #sorted = true
  /** The last answer: the files of a partition ask for the same over and over. */
  #last: { readonly low: number; readonly files: readonly ContentFile[] } | undefined

  add(file: ContentFile): void {
    const last = this.#files.at(-1)
    this.#sorted &&= last === undefined || last.dataSequenceNumber <= file.dataSequenceNumber
    this.#files.push(file)
    this.#last = undefined
  }

  /** Files whose sequence number is at least `sequence`. */
  from(sequence: bigint): readonly ContentFile[] {
    if (!this.#sorted) {
      this.#files.sort((a, b) => Number(a.dataSequenceNumber - b.dataSequenceNumber))
      this.#sorted = true
    }
    let low = 0
    let high = this.#files.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#files[middle]!.dataSequenceNumber < sequence) low = middle + 1
      else high = middle
    }
    if (this.#last?.low !== low) this.#last = { low, files: low === 0 ? this.#files : this.#files.slice(low) }
    return this.#last.files
  }
}

function entry(map: Map<string, SequencedFiles>, key: string): SequencedFiles {
  let files = map.get(key)
  if (files === undefined) {
    files = new SequencedFiles()
    map.set(key, files)
  }
  return files
}

function checkSamePartition(deletes: ContentFile, file: ContentFile, key: string): void {
  if (deletes.specId !== file.specId) throw mismatch(deletes, file, 'partition spec', deletes.specId, file.specId)
  const deletesKey = partitionKey(deletes.specId, deletes.partition)
  if (deletesKey !== key) throw mismatch(deletes, file, 'partition', deletes.partition, file.partition)
}

function mismatch(deletes: ContentFile, file: ContentFile, field: string, value: unknown, expected: unknown) {
  return broken(deletes, `its ${field} does not fit the data file that it is for, ${file.path}`, {
    field,
    value,
    expected,
    dataFile: file.path,
  })
}

function broken(file: ContentFile, what: string, context: Record<string, unknown>): LakefoldError {
  return new LakefoldError('CORRUPT_FILE', `${file.path}: ${what}`, { context: { file: file.path, ...context } })
}
