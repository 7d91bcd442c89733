import { readAhead } from '../../base/read-ahead.js'
import { LakefoldError } from '../../index.js'
import type { Subject } from './subject.js'

/** Files that are looked at side by side. */
const AT_ONCE = 8

export interface Problem {
  readonly code: string
  readonly message: string
  /** The file at fault, where one is. */
  readonly file?: string
}

export interface Findings {
  readonly problems: readonly Problem[]
  /** Rows that were read; undefined if none were to be. */
  readonly rows: bigint | undefined
}

/** Looks at each file, and reads all rows if asked to. Goes on after a problem. */
export async function examine(
  subject: Subject,
  readRows: boolean,
  onProgress: (done: number, of: number) => void,
): Promise<Findings> {
  const { files, pieces } = subject
  const steps = files.length + (readRows ? pieces.length : 0)
  const problems: Problem[] = []
  let done = 0
  const finished = (found: readonly Problem[]) => {
    problems.push(...found)
    onProgress(++done, steps)
  }
  for await (const found of readAhead(files, AT_ONCE, (file) => checkFile(subject, file))) finished(found)
  if (!readRows) return { problems, rows: undefined }
  let rows = 0n
  for (const piece of pieces) {
    try {
      rows = await (await piece.read()).fold(rows, (sum, batch) => sum + BigInt(batch.numRows))
      finished([])
    } catch (error) {
      const problem = problemOf(error, piece.name)
      // A file may serve many pieces: it is told once.
      finished(problems.some(({ file }) => file === problem.file) ? [] : [problem])
    }
  }
  return { problems, rows }
}

async function checkFile(subject: Subject, { path, size }: Subject['files'][number]): Promise<readonly Problem[]> {
  try {
    const found = BigInt(await subject.size(path))
    if (size === undefined || found === size) return []
    return [{ code: 'CORRUPT_FILE', message: `has ${found} bytes, ${size} by the metadata`, file: path }]
  } catch (error) {
    return [problemOf(error, path)]
  }
}

/** An error as a finding. Faults of this package stay what they are. */
export function problemOf(error: unknown, file?: string): Problem {
  if (!LakefoldError.is(error) || error.code === 'INTERNAL') throw error
  const named = typeof error.context.file === 'string' ? error.context.file : file
  return { code: error.code, message: error.message, ...(named === undefined ? {} : { file: named }) }
}
