import type { TaskPiece } from './pieces.js'

/** What one worker decodes in one go: a piece of a task, or several small tasks, whose batches come together. */
export interface TaskGroup {
  /** ScanTask documents, in order. */
  readonly documents: readonly string[]
  /** How many tasks end with it. */
  readonly ends: number
}

/** A file below this costs more to hand about than to decode. */
const SMALL = 2 ** 19
/** Most bytes of the files of a group, most of their rows, and most files. */
const MOST = { bytes: 2 ** 20, rows: 2 ** 16, tasks: 64 }

/**
 * Puts small tasks that follow each other into groups, in order. The first groups are of one, then they double, so that
 * the first rows come as soon as they can and few small tasks still keep all workers busy.
 */
export async function* groupsOf(pieces: AsyncIterable<TaskPiece>): AsyncGenerator<TaskGroup, void, undefined> {
  let documents: string[] = []
  let [bytes, rows, given] = [0, 0, 0]
  const group = (): TaskGroup => {
    const full = { documents, ends: documents.length }
    documents = []
    bytes = rows = 0
    given += 1
    return full
  }
  try {
    for await (const { document, endsTask, size } of pieces) {
      const small = size !== undefined && size.bytes <= SMALL && size.rows <= MOST.rows
      const fits = small && bytes + size.bytes <= MOST.bytes && rows + size.rows <= MOST.rows
      if (documents.length > 0 && !fits) yield group()
      if (!small) {
        yield { documents: [document], ends: endsTask ? 1 : 0 }
        continue
      }
      documents.push(document)
      bytes += size.bytes
      rows += size.rows
      if (documents.length >= Math.min(MOST.tasks, 2 ** (given >> 2))) yield group()
    }
  } catch (error) {
    // What was planned before the plan failed is read before it fails the read.
    if (documents.length > 0) yield group()
    throw error
  }
  if (documents.length > 0) yield group()
}
