import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openReader } from '../../../ts/reader/batch-reader.js'
import { FileScanTask } from '../../../ts/task/scan-task.js'
import type { NestedField } from '../../../ts/types/types.js'

const fixtures = fileURLToPath(new URL('../../fixtures/iceberg', import.meta.url))

/** The data file of `dv_v3_large`: ids and a text, many rows in some row groups. */
export const LARGE = join(
  fixtures,
  'tables/dv_v3_large/data/00122-0-5c178497-8091-497d-889b-bb7a6e1c0bd8-00001.parquet',
)
/** Its rows, by the table's own manifest; `id` counts them up. */
export const LARGE_ROWS = 140_000

/** The columns of `dv_v3_large`. */
export const COLUMNS: readonly NestedField[] = [
  { id: 1, name: 'id', required: true, type: { kind: 'int' } },
  { id: 2, name: 'g', required: false, type: { kind: 'int' } },
]

/** A task over a whole file, nothing deleted, nothing filtered. */
export function taskOf(location: string, columns: readonly NestedField[] = COLUMNS): FileScanTask {
  const fields = columns.map(({ type, ...field }) => ({ ...field, type: type.kind }))
  return FileScanTask.fromJson(
    JSON.stringify({
      version: 1,
      'data-file': {
        path: location,
        location,
        format: 'parquet',
        'file-size-in-bytes': 1,
        'record-count': LARGE_ROWS,
      },
      start: 0,
      length: 2 ** 40,
      'spec-id': 0,
      'data-sequence-number': 1,
      schema: fields.filter((field) => field.id < 1000),
      projection: fields,
      residual: true,
      'residual-text': '["true"]',
    }),
  )
}

export function repeat<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value)
}

/** A folder for one test file's products. */
export function workFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'lakefold-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Writes one Parquet file of several row groups: the large file's rows, again and again. */
export async function writeBig(path: string, copies: number): Promise<void> {
  await (await openReader({ tasks: repeat(taskOf(LARGE), copies), projection: COLUMNS })).writeParquet(path)
}
