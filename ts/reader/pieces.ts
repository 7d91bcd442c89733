/** What one worker decodes at a time: a task, or a byte range of one. */
export interface TaskPiece {
  /** The ScanTask document. */
  readonly document: string
  /** Whether its task has no piece after it. */
  readonly endsTask: boolean
  /** What it spans of its file, where that is known. */
  readonly size: PieceSize | undefined
}

export interface PieceSize {
  readonly bytes: number
  readonly rows: number
}

/** Anything that becomes a task document. */
interface Printable {
  toJson(): string
}

/** A task of one file, which may be read in byte ranges. */
export interface Cuttable extends Printable {
  readonly dataFile: { readonly format: string; readonly fileSizeInBytes: number; readonly recordCount: bigint }
  readonly start: number
  readonly length: number
  withRange(start: number, length: number): Printable
}

/** A task of several files that divides itself. */
export interface Divisible extends Printable {
  /** Tasks that have its rows one after the other, each of about so many bytes of its files. */
  divided(bytes: number): readonly Printable[]
}

const isDivisible = (task: Printable): task is Divisible => 'divided' in task
const isCuttable = (task: Printable): task is Cuttable => 'withRange' in task

const MIB = 2 ** 20
/** Below this a piece costs more (a footer, a plan of its columns) than a second worker gains. */
const LEAST = 4 * MIB
/** Above this, decoded pieces that wait for those before them would fill the budget. */
const MOST = 16 * MIB

/** Bytes of a file that one piece spans: small enough that decoded pieces may wait for each other within the limit. */
export function pieceBytes(memoryLimit: number, numWorkers: number): number {
  return Math.max(LEAST, Math.min(MOST, Math.floor(memoryLimit / (8 * numWorkers))))
}

/** That of a task, if its file has as many rows as it says. */
function sizeOf({ dataFile, length }: Cuttable): PieceSize | undefined {
  const rows = Number(dataFile.recordCount)
  return rows < 0 ? undefined : { bytes: Math.min(length, dataFile.fileSizeInBytes), rows }
}

/**
 * The pieces of a task in order, for several workers to share. A task that divides itself does so. A big Parquet file is cut into
 * byte ranges: each of its row groups belongs to exactly one of the ranges, that of its midpoint. Other files are one piece.
 */
export function* piecesOf(task: Printable, bytes: number, numWorkers: number): Generator<TaskPiece> {
  if (numWorkers > 1 && isDivisible(task)) {
    const parts = task.divided(bytes)
    for (const [i, part] of parts.entries()) {
      yield { document: part.toJson(), endsTask: i === parts.length - 1, size: undefined }
    }
    return
  }
  // A range that reaches the size in the manifest goes on to the real end of the file: only the last one may.
  const cuts =
    numWorkers > 1 &&
    isCuttable(task) &&
    task.dataFile.format === 'parquet' &&
    task.start + task.length <= task.dataFile.fileSizeInBytes
  if (!cuts) {
    yield { document: task.toJson(), endsTask: true, size: isCuttable(task) ? sizeOf(task) : undefined }
    return
  }
  const count = Math.max(1, Math.floor(task.length / bytes))
  for (let i = 0; i < count; i++) {
    const start = task.start + i * bytes
    const endsTask = i === count - 1
    const length = endsTask ? task.start + task.length - start : bytes
    const part = count === 1 ? task : task.withRange(start, length)
    yield { document: part.toJson(), endsTask, size: count === 1 ? sizeOf(task) : undefined }
  }
}
